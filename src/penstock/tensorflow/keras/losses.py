"""tf.keras.losses: classes that reduce over a batch, and the functions behind them."""

from __future__ import annotations

import functools as _functools
import sys as _sys
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.layers.masks import Masks as _Masks
from penstock.layers.masks import attach as _attach
from penstock.layers.masks import hand_on as _hand_on
from penstock.layers.masks import mask_of as _mask_of
from penstock.layers.naming import snake_case as _snake_case
from penstock.ops import pointwise as _pointwise
from penstock.ops import reduce as _reduce
from penstock.ops import shape as _shape
from penstock.ops.table import cast as _cast
from penstock.ops.validation import plain as _plain
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _formulas, _in_graphs
from penstock.tensorflow.keras._defaults import floatx as _floatx
from penstock.tensorflow.keras._logits import behind as _behind
from penstock.trace.lengths import real as _real
from penstock.trace.source_site import here as _here

_frame = _sys._getframe


# -- arguments ---------------------------------------------------------------------------------------------


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Returns both as tensors of the predictions' dtype, and of one rank where an axis of one is missing."""
    p = _operand(y_pred)
    frame = _frame(1)
    if p._spec.dtype.kind not in "fV":
        p = _record(_cast, (p,), {"dtype": _np.dtype(_np.float32)}, frame)
    t = _operand(y_true)
    if t._spec.dtype != p._spec.dtype:
        t = _record(_cast, (t,), {"dtype": p._spec.dtype}, frame)
    return _same_rank(t, p)


def _same_rank(t: Any, p: Any) -> tuple[Any, Any]:
    a, b = t._spec.shape, p._spec.shape
    frame = _frame(1)
    if len(a) == len(b) + 1 and a[-1] == 1:
        if len(b) == 1:
            p = _record(_shape.reshape, (p,), {"shape": (*b, 1)}, frame)
        else:
            t = _record(_shape.reshape, (t,), {"shape": a[:-1]}, frame)
    elif len(b) == len(a) + 1 and b[-1] == 1:
        if len(a) == 1:
            t = _record(_shape.reshape, (t,), {"shape": (*a, 1)}, frame)
        else:
            p = _record(_shape.reshape, (p,), {"shape": b[:-1]}, frame)
    return t, p


def _in_a_graph_too(function: _Callable[..., Any]) -> _Callable[..., Any]:
    """Returns the function of a loss as one that is added to the graph which its arguments belong to."""

    @_functools.wraps(function)
    def called(y_true: Any, y_pred: Any, *arguments: Any, **options: Any) -> Any:
        if _mode.inside and _in_graphs.wanted((y_true, y_pred)):
            return _in_graphs.of_function(function, function.__name__, (y_true, y_pred, *arguments), options)
        return function(y_true, y_pred, *arguments, **options)

    return called


@_in_a_graph_too
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of squared differences over the last axis.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.losses.mean_squared_error([[0.0, 1.0]], [[0.0, 3.0]]))
    tf.Tensor([2.], shape=(1,), dtype=float32)
    """
    return _formulas.squared(*_pair(y_true, y_pred))


@_in_a_graph_too
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of absolute differences over the last axis."""
    return _formulas.absolute(*_pair(y_true, y_pred))


@_in_a_graph_too
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Returns 100 times the mean of absolute differences divided by the targets' sizes."""
    return _formulas.percentage(*_pair(y_true, y_pred))


@_in_a_graph_too
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of squared differences of log(1 + x)."""
    return _formulas.logarithmic(*_pair(y_true, y_pred))


@_in_a_graph_too
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Returns half the square of differences up to `delta`, and a straight line beyond (Huber, 1964)."""
    return _formulas.huber(*_pair(y_true, y_pred), float(delta))


@_in_a_graph_too
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of log(cosh(difference)), without overflow."""
    return _formulas.log_cosh(*_pair(y_true, y_pred))


@_in_a_graph_too
def hinge(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of max(1 - target * prediction, 0); targets are -1 and 1, or 0 and 1."""
    return _formulas.hinge(*_pair(y_true, y_pred), 1)


@_in_a_graph_too
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of max(1 - target * prediction, 0) squared."""
    return _formulas.hinge(*_pair(y_true, y_pred), 2)


@_in_a_graph_too
def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Returns the sum of t * log(t / p) over the last axis."""
    return _formulas.divergence(*_pair(y_true, y_pred))


@_in_a_graph_too
def poisson(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of p - t * log(p)."""
    return _formulas.poisson(*_pair(y_true, y_pred))


@_in_a_graph_too
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Returns minus the sum of products of both, divided by their lengths: -1 where they point one way."""
    return -_formulas.cosine(*_pair(y_true, y_pred), axis)


@_in_a_graph_too
def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """Returns the binary cross-entropy of probabilities, or of logits, averaged over the last axis."""
    t, p = _pair(y_true, y_pred)
    p, from_logits = _behind(p, bool(from_logits), "Sigmoid", "binary_crossentropy")
    return _formulas.binary(t, p, from_logits, float(label_smoothing), axis)


@_in_a_graph_too
def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """Returns the cross-entropy of target probabilities and predicted ones, or logits."""
    if isinstance(axis, bool):
        raise _ArgumentError(f"`axis` must be of type `int`. Received: axis={axis}", site=_here())
    t, p = _pair(y_true, y_pred)
    if t._spec.shape != p._spec.shape:
        raise _ArgumentError(
            f"Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={t.shape}, output.shape={p.shape}",
            remedy="Class numbers go to SparseCategoricalCrossentropy.",
            site=_here(),
        )
    p, from_logits = _behind(p, bool(from_logits), "Softmax", "categorical_crossentropy")
    return _formulas.categorical(t, p, from_logits, float(label_smoothing), axis)


@_in_a_graph_too
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Returns max(1 + the largest wrong prediction - the right one, 0) over the last axis.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.5, 0.25]]))
    tf.Tensor([1.25], shape=(1,), dtype=float32)
    """
    return _formulas.categorical_hinge(*_pair(y_true, y_pred))


@_in_a_graph_too
def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Returns the binary cross-entropy times (1 - p of the target) ** gamma (Lin and others, 2017).

    `apply_class_balancing` weighs targets of 1 by `alpha` and those of 0 by 1 - alpha.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.losses.binary_focal_crossentropy([[1.0]], [[0.5]], gamma=0.0))
    tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    return _formulas.binary_focal(
        *_pair(y_true, y_pred), bool(apply_class_balancing), bool(from_logits), float(alpha), float(gamma),
        float(label_smoothing), axis,
    )  # fmt: skip


@_in_a_graph_too
def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Returns the cross-entropy of classes, each times alpha * (1 - p) ** gamma (Lin and others, 2017).

    `alpha` is a number, or a list of one for each class.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]], gamma=0.0))
    tf.Tensor([0.1732868], shape=(1,), dtype=float32)
    """
    weights = _plain(alpha)
    if getattr(weights, "shape", None) == ():
        weights = float(weights)
    elif not isinstance(weights, int | float):
        weights = tuple(float(one) for one in weights)
    return _formulas.categorical_focal(
        *_pair(y_true, y_pred), weights, float(gamma), bool(from_logits), float(label_smoothing), axis
    )


def _axes(axis: Any) -> Any:
    return axis if axis is None else tuple(axis) if isinstance(axis, list | tuple) else (int(axis),)


@_in_a_graph_too
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Returns 1 - 2 * |both| / (|targets| + |predictions|), over all axes or those of `axis`.

    >>> from penstock import tensorflow as tf
    >>> print(round(float(tf.keras.losses.dice([[1.0, 1.0]], [[1.0, 0.0]])), 4))
    0.3333
    """
    return _formulas.dice(*_pair(y_true, y_pred), _axes(axis))


@_in_a_graph_too
def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Any:
    """Returns 1 - |both| / (|both| + alpha * |missed| + beta * |found wrongly|) (Salehi and others, 2017).

    >>> from penstock import tensorflow as tf
    >>> print(round(float(tf.keras.losses.tversky([[1.0, 1.0]], [[1.0, 0.0]], alpha=1.0)), 4))
    0.5
    """
    return _formulas.overlap(*_pair(y_true, y_pred), float(alpha), float(beta), _axes(axis))


@_in_a_graph_too
def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Any:
    """Returns the cross-entropy of class numbers and predicted probabilities, or logits."""
    frame = _frame(1)
    if axis != -1 and axis != len(_operand(y_pred)._spec.shape) - 1:
        raise _ArgumentError(
            f"Only axis=-1 is currently supported. Received: axis={axis}",
            remedy="Move the classes to the last axis first, with tf.transpose.",
            site=_here(),
        )
    t, p = _operand(y_true), _operand(y_pred)
    if p._spec.dtype.kind not in "fV":
        p = _record(_cast, (p,), {"dtype": _np.dtype(_np.float32)}, frame)
    if t._spec.dtype.kind not in "iu":
        t = _record(_cast, (t,), {"dtype": _np.dtype(_np.int64)}, frame)
    shape = t._spec.shape
    if len(shape) == len(p._spec.shape) and shape[-1:] == (1,):
        t = _record(_shape.reshape, (t,), {"shape": shape[:-1]}, frame)
    if t._spec.shape != p._spec.shape[:-1]:
        raise _ArgumentError(
            "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
            f"target.shape={t.shape}, output.shape={p.shape}",
            why="There is one class number for each row of predictions.",
            remedy="One-hot targets go to CategoricalCrossentropy.",
            site=_here(),
        )
    if ignore_class is not None:
        found = _formulas.sparse_ignoring(t, p, bool(from_logits), int(ignore_class))
        # What is ignored does not count in the divisor of a mean, as where a layer has masked it.
        _Masks.active = True
        _attach(found, _record(_pointwise.not_equal, (t, int(ignore_class)), {}, frame))
        return found
    p, from_logits = _behind(p, bool(from_logits), "Softmax", "sparse_categorical_crossentropy")
    return _formulas.sparse(t, p, from_logits)


# -- classes -----------------------------------------------------------------------------------------------

_REDUCTIONS = ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight", "auto")


class Reduction:
    """Words for how losses are reduced, as Keras 2 wrote them."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"


@_named("tf.keras.Loss")
class Loss:
    """A loss of targets and predictions, reduced to a scalar; write one as a subclass with `call`.

    `reduction` is "sum_over_batch_size" (the mean), "sum", or None for no reduction.

    >>> from penstock import tensorflow as tf
    >>> loss = tf.keras.losses.MeanSquaredError()
    >>> print(loss([[0.0], [1.0]], [[0.0], [3.0]]))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """

    _converts = True
    """Whether `call` is given targets in float32, as one that a user writes is."""

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size", dtype: Any = None
    ) -> None:
        if reduction not in _REDUCTIONS:
            raise _ArgumentError(
                f"Invalid value for argument `reduction`. Expected one of {_REDUCTIONS[:6]}. Received: "
                f"reduction={reduction}",
                site=_here(),
            )
        self.name = _snake_case(type(self).__name__) if name is None else name
        self.reduction = "sum_over_batch_size" if reduction == "auto" else reduction
        self.dtype = _floatx() if dtype is None else dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Returns the loss, with each example weighted where weights are given.

        Steps that are masked in `y_pred` do not count, nor in the divisor of a mean.
        """
        if _mode.inside and _in_graphs.wanted((y_true, y_pred, sample_weight)):
            return _in_graphs.of_function(self, self.name, (y_true, y_pred, sample_weight), {})
        own = _numpy_dtype(self.dtype)
        target = _target(y_true, own) if self._converts else y_true
        values = _converted(self.call(target, _converted(y_pred, own)), own)
        dtype, rank = values._spec.dtype, len(values._spec.shape)
        weights = None if sample_weight is None else _weights(sample_weight, dtype, rank)
        masks = [_mask_of(y_pred), _mask_of(values)] if _Masks.active else []
        kept = None
        for mask in masks:
            if mask is not None:
                one = _weights(mask, dtype, rank)
                kept = one if kept is None else kept * one
        if kept is not None:
            if self.reduction in ("mean", "sum_over_batch_size"):
                axes = tuple(range(len(kept._spec.shape)))
                counting = _record(_reduce.sum, (kept,), {"axes": axes, "keepdims": False}, _frame(1))
                kept = kept * (_real(kept._spec.size) / (counting + _formulas.EPSILON))
            weights = kept if weights is None else weights * kept
        if weights is not None:
            values = _record(_pointwise.multiply, (values, weights), {}, _frame(1))
        if self.reduction in (None, "none") or not values._spec.shape:
            return values
        if weights is not None and self.reduction == "mean_with_sample_weight":
            return _formulas.weighed(values, weights)
        return _formulas.reduced(values, "sum" if self.reduction == "sum" else "mean")

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Returns the loss of each example; a subclass writes this."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a loss with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.name})>"


def _weights(given: Any, dtype: Any, rank: int) -> Any:
    """Returns weights of examples, or of steps of them, as they multiply losses of a rank."""
    weights = _operand(given, None)
    if weights._spec.dtype != dtype:
        weights = _record(_cast, (weights,), {"dtype": dtype}, _frame(2))
    shape = weights._spec.shape
    if len(shape) > rank and shape[-1] == 1:
        return _record(_shape.reshape, (weights,), {"shape": shape[:-1]}, _frame(2))
    if len(shape) < rank:
        lengths = (*shape, *(1,) * (rank - len(shape)))
        return _record(_shape.reshape, (weights,), {"shape": lengths}, _frame(2))
    return weights


def _target(y_true: Any, wanted: Any) -> Any:
    t = _operand(y_true)
    if t._spec.dtype != wanted:
        return _record(_cast, (t,), {"dtype": wanted}, _frame(1))
    return t


def _converted(x: Any, wanted: Any) -> Any:
    """Returns a floating-point tensor in the dtype in which a loss is computed, whatever the model does."""
    made = _operand(x)
    dtype = made._spec.dtype
    if dtype.kind in "fV" and dtype != wanted:
        cast = _record(_cast, (made,), {"dtype": wanted}, _frame(1))
        if _Masks.active:
            _hand_on(cast, _mask_of(x))
        return cast
    return made


def _class(
    name: str,
    function: _Callable[..., Any],
    options: dict[str, Any],
    word: str,
    order: tuple[str, ...] | None = None,
) -> Any:
    """Returns a class of a loss; `order` is that of its arguments, if the options are not the first."""
    names = (*options, "reduction", "name", "dtype") if order is None else order
    # An object of the class says itself that it belongs to a graph.
    function = function.__wrapped__  # type: ignore[attr-defined]

    def __init__(self: Any, *arguments: Any, **more: Any) -> None:
        given = dict(options)
        more = {**dict(zip(names, arguments)), **more}
        for key in options:
            if key in more:
                given[key] = more.pop(key)
        unknown = set(more) - {"reduction", "name", "dtype"}
        if unknown:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument {sorted(unknown)[0]!r}")
        more.setdefault("name", word)
        Loss.__init__(self, **more)
        self._options = given
        for key, value in given.items():
            setattr(self, key, value)

    def call(self: Any, y_true: Any, y_pred: Any) -> Any:
        return function(y_true, y_pred, **self._options)

    def get_config(self: Any) -> dict[str, Any]:
        return {**Loss.get_config(self), **self._options}

    space = {
        "__init__": __init__,
        "_converts": False,
        "call": call,
        "get_config": get_config,
        "__doc__": f"The loss {word}, reduced over a batch: see `{word}` and `Loss`.",
        "__module__": __name__,
    }
    return type(name, (Loss,), space)


_LOGITS = {"from_logits": False, "label_smoothing": 0.0, "axis": -1}
MeanSquaredError = _class("MeanSquaredError", mean_squared_error, {}, "mean_squared_error")
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error, {}, "mean_absolute_error")
MeanAbsolutePercentageError = _class(
    "MeanAbsolutePercentageError", mean_absolute_percentage_error, {}, "mean_absolute_percentage_error"
)
MeanSquaredLogarithmicError = _class(
    "MeanSquaredLogarithmicError", mean_squared_logarithmic_error, {}, "mean_squared_logarithmic_error"
)
Huber = _class("Huber", huber, {"delta": 1.0}, "huber_loss")
LogCosh = _class("LogCosh", log_cosh, {}, "log_cosh")
Hinge = _class("Hinge", hinge, {}, "hinge")
SquaredHinge = _class("SquaredHinge", squared_hinge, {}, "squared_hinge")
KLDivergence = _class("KLDivergence", kl_divergence, {}, "kl_divergence")
Poisson = _class("Poisson", poisson, {}, "poisson")
CosineSimilarity = _class("CosineSimilarity", cosine_similarity, {"axis": -1}, "cosine_similarity")
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy, _LOGITS, "binary_crossentropy")
CategoricalCrossentropy = _class(
    "CategoricalCrossentropy", categorical_crossentropy, _LOGITS, "categorical_crossentropy"
)
SparseCategoricalCrossentropy = _class(
    "SparseCategoricalCrossentropy",
    sparse_categorical_crossentropy,
    {"from_logits": False, "ignore_class": None},
    "sparse_categorical_crossentropy",
)
CategoricalHinge = _class("CategoricalHinge", categorical_hinge, {}, "categorical_hinge")
BinaryFocalCrossentropy = _class(
    "BinaryFocalCrossentropy",
    binary_focal_crossentropy,
    {"apply_class_balancing": False, "alpha": 0.25, "gamma": 2.0, **_LOGITS},
    "binary_focal_crossentropy",
)
CategoricalFocalCrossentropy = _class(
    "CategoricalFocalCrossentropy",
    categorical_focal_crossentropy,
    {"alpha": 0.25, "gamma": 2.0, **_LOGITS},
    "categorical_focal_crossentropy",
)
Dice = _class("Dice", dice, {"axis": None}, "dice", ("reduction", "name", "axis", "dtype"))
Tversky = _class(
    "Tversky",
    tversky,
    {"alpha": 0.5, "beta": 0.5, "axis": None},
    "tversky",
    ("alpha", "beta", "reduction", "name", "axis", "dtype"),
)
MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh


def get(identifier: Any) -> Any:
    """Returns the loss that a word, a class, a function or a dictionary stands for."""
    if isinstance(identifier, dict):
        identifier = _sys.modules[__name__].deserialize(identifier)
    if isinstance(identifier, type):
        return identifier()
    if identifier is None or callable(identifier):
        return identifier
    found = getattr(_sys.modules[__name__], identifier, None) if isinstance(identifier, str) else None
    if not getattr(found, "__module__", "").startswith("penstock.tensorflow.keras."):
        found = None
    if found is None:
        raise _ArgumentError(f"Could not interpret loss identifier: {identifier}", site=_here())
    return found() if isinstance(found, type) else found


__getattr__, __dir__, _public = _namespace(
    "tf.keras.losses", globals(), rest="keras._identifiers keras._label_losses"
)
