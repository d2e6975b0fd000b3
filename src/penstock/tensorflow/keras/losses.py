"""tf.keras.losses: classes that reduce over a batch, and the functions behind them."""

from __future__ import annotations

import sys as _sys
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

from penstock.functions import losses as _losses
from penstock.functions.composite import composite as _composite
from penstock.layers.base import snake_case as _snake_case
from penstock.layers.masks import Masks as _Masks
from penstock.layers.masks import mask_of as _mask_of
from penstock.ops import pointwise as _pointwise
from penstock.ops import reduce as _reduce
from penstock.ops import shape as _shape
from penstock.ops.table import cast as _cast
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import absent as _absent
from penstock.trace.site import here as _here
from penstock.trace.tensor import Tensor as _Tensor

_frame = _sys._getframe
_EPSILON = 1e-7


def _mean(x: Any, axis: int = -1) -> Any:
    rank = len(x.shape)
    return _reduce.mean(x, axes=(axis % rank,), keepdims=False) if rank else x


def _total(x: Any, axis: int = -1) -> Any:
    return _reduce.sum(x, axes=(axis % len(x.shape),), keepdims=False)


# -- the formulas: targets and predictions, of one dtype and rank ------------------------------------------


@_composite(2, "mean_squared_error")
def _squared(t: Any, p: Any) -> _Tensor:
    return _mean(_pointwise.square(p - t))  # type: ignore[no-any-return]


@_composite(2, "mean_absolute_error")
def _absolute(t: Any, p: Any) -> _Tensor:
    return _mean(_pointwise.absolute(t - p))  # type: ignore[no-any-return]


@_composite(2, "mean_absolute_percentage_error")
def _percentage(t: Any, p: Any) -> _Tensor:
    size = _pointwise.maximum(_pointwise.absolute(t), _EPSILON)
    return _mean(_pointwise.absolute((t - p) / size)) * 100.0  # type: ignore[no-any-return]


@_composite(2, "mean_squared_logarithmic_error")
def _logarithmic(t: Any, p: Any) -> _Tensor:
    first, second = (_pointwise.log(_pointwise.maximum(x, _EPSILON) + 1.0) for x in (p, t))
    return _mean(_pointwise.square(first - second))  # type: ignore[no-any-return]


@_composite(2, "huber")
def _huber(t: Any, p: Any, delta: float) -> _Tensor:
    error = p - t
    size = _pointwise.absolute(error)
    near = _pointwise.square(error) * 0.5
    return _mean(_pointwise.where(size <= delta, near, size * delta - delta * delta * 0.5))  # type: ignore[no-any-return]


@_composite(2, "log_cosh")
def _log_cosh(t: Any, p: Any) -> _Tensor:
    x = p - t
    return _mean(x + _pointwise.softplus(x * -2.0) - 0.6931471805599453)  # type: ignore[no-any-return]


@_composite(2, "hinge")
def _hinge(t: Any, p: Any, power: int) -> _Tensor:
    # Targets of 0 and 1 become -1 and 1.
    low = _reduce.min(t, axes=tuple(range(t.ndim)), keepdims=False)
    signs = _pointwise.where(low >= 0.0, t * 2.0 - 1.0, t)
    value = _pointwise.maximum(1.0 - signs * p, 0.0)
    return _mean(value if power == 1 else _pointwise.square(value))  # type: ignore[no-any-return]


@_composite(2, "kl_divergence")
def _divergence(t: Any, p: Any) -> _Tensor:
    t, p = (_pointwise.clip(x, _EPSILON, 1.0) for x in (t, p))
    return _total(t * _pointwise.log(t / p))  # type: ignore[no-any-return]


@_composite(2, "poisson")
def _poisson(t: Any, p: Any) -> _Tensor:
    return _mean(p - t * _pointwise.log(p + _EPSILON))  # type: ignore[no-any-return]


@_composite(2, "cosine_similarity")
def _cosine(t: Any, p: Any, axis: int) -> _Tensor:
    def normal(x: Any) -> Any:
        axes = (axis % x.ndim,)
        square = _reduce.sum(_pointwise.square(x), axes=axes, keepdims=True)
        return x * _pointwise.rsqrt(_pointwise.maximum(square, 1e-12))

    return _total(normal(t) * normal(p), axis)  # type: ignore[no-any-return]


@_composite(2, "binary_crossentropy")
def _binary(t: Any, p: Any, from_logits: bool, smoothing: float, axis: int) -> _Tensor:
    if not isinstance(smoothing, float) or smoothing:
        t = t * (1.0 - smoothing) + smoothing * 0.5
    return _mean(_binary_terms(t, p, from_logits), axis)  # type: ignore[no-any-return]


def _binary_terms(t: Any, p: Any, from_logits: bool) -> Any:
    if from_logits:
        return _losses.sigmoid_cross_entropy(p, t)
    p = _pointwise.clip(p, _EPSILON, 1.0 - _EPSILON)
    return -(t * _pointwise.log(p) + (1.0 - t) * _pointwise.log(1.0 - p))


@_composite(2, "categorical_crossentropy")
def _categorical(t: Any, p: Any, from_logits: bool, smoothing: float, axis: int) -> _Tensor:
    if not isinstance(smoothing, float) or smoothing:
        t = t * (1.0 - smoothing) + smoothing / t.shape[axis]
    if from_logits:
        if axis % p.ndim == p.ndim - 1:
            return _losses.softmax_cross_entropy(p, t)
        from penstock.functions.nn import log_softmax

        return -_total(t * log_softmax(p, axis), axis)  # type: ignore[no-any-return]
    p = p / _reduce.sum(p, axes=(axis % p.ndim,), keepdims=True)
    p = _pointwise.clip(p, _EPSILON, 1.0 - _EPSILON)
    return -_total(t * _pointwise.log(p), axis)  # type: ignore[no-any-return]


@_composite(2, "sparse_categorical_crossentropy")
def _sparse(t: Any, p: Any, from_logits: bool) -> _Tensor:
    if not from_logits:
        p = _pointwise.log(_pointwise.clip(p, _EPSILON, 1.0 - _EPSILON))
    return _losses.softmax_cross_entropy(p, t)


@_composite(2, "sparse_categorical_crossentropy")
def _sparse_ignoring(t: Any, p: Any, from_logits: bool, ignored: int) -> _Tensor:
    kept = t != ignored
    safe = _pointwise.where(kept, t, 0)
    return _pointwise.where(kept, _sparse(safe, p, from_logits), 0.0)


@_composite(1, "mean")
def _reduced(values: Any, reduction: str) -> _Tensor:
    axes = tuple(range(values.ndim))
    if reduction == "sum":
        return _reduce.sum(values, axes=axes, keepdims=False)
    return _reduce.mean(values, axes=axes, keepdims=False)


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


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of squared differences over the last axis.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.losses.mean_squared_error([[0.0, 1.0]], [[0.0, 3.0]]))
    tf.Tensor([2.], shape=(1,), dtype=float32)
    """
    return _squared(*_pair(y_true, y_pred))


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of absolute differences over the last axis."""
    return _absolute(*_pair(y_true, y_pred))


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Returns 100 times the mean of absolute differences divided by the targets' sizes."""
    return _percentage(*_pair(y_true, y_pred))


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of squared differences of log(1 + x)."""
    return _logarithmic(*_pair(y_true, y_pred))


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Returns half the square of differences up to `delta`, and a straight line beyond (Huber, 1964)."""
    return _huber(*_pair(y_true, y_pred), float(delta))


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of log(cosh(difference)), without overflow."""
    return _log_cosh(*_pair(y_true, y_pred))


def hinge(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of max(1 - target * prediction, 0); targets are -1 and 1, or 0 and 1."""
    return _hinge(*_pair(y_true, y_pred), 1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of max(1 - target * prediction, 0) squared."""
    return _hinge(*_pair(y_true, y_pred), 2)


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Returns the sum of t * log(t / p) over the last axis."""
    return _divergence(*_pair(y_true, y_pred))


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean of p - t * log(p)."""
    return _poisson(*_pair(y_true, y_pred))


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Returns the sum of products of both, divided by their lengths."""
    return _cosine(*_pair(y_true, y_pred), axis)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """Returns the binary cross-entropy of probabilities, or of logits, averaged over the last axis."""
    return _binary(*_pair(y_true, y_pred), bool(from_logits), float(label_smoothing), axis)


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
    return _categorical(t, p, bool(from_logits), float(label_smoothing), axis)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Any:
    """Returns the cross-entropy of class numbers and predicted probabilities, or logits."""
    frame = _frame(1)
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
        return _sparse_ignoring(t, p, bool(from_logits), int(ignore_class))
    return _sparse(t, p, bool(from_logits))


# -- classes -----------------------------------------------------------------------------------------------

_REDUCTIONS = ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight", "auto")


class Reduction:
    """Words for how losses are reduced, as Keras 2 wrote them."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"


class Loss:
    """A loss of targets and predictions, reduced to a scalar; write one as a subclass with `call`.

    `reduction` is "sum_over_batch_size" (the mean), "sum", or None for no reduction.

    >>> from penstock import tensorflow as tf
    >>> loss = tf.keras.losses.MeanSquaredError()
    >>> print(loss([[0.0], [1.0]], [[0.0], [3.0]]))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """

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
        self.dtype = "float32" if dtype is None else dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Returns the loss, with each example weighted where weights are given.

        Steps that are masked in `y_pred` do not count, nor in the divisor of a mean.
        """
        values = self.call(y_true, _converted(y_pred))
        dtype, rank = values._spec.dtype, len(values._spec.shape)
        weights = None if sample_weight is None else _weights(sample_weight, dtype, rank)
        if _Masks.active and (mask := _mask_of(y_pred)) is not None:
            kept = _weights(mask, dtype, rank)
            if self.reduction in ("mean", "sum_over_batch_size"):
                axes = tuple(range(len(kept._spec.shape)))
                counting = _record(_reduce.sum, (kept,), {"axes": axes, "keepdims": False}, _frame(1))
                kept = kept * (float(kept._spec.size) / (counting + _EPSILON))
            weights = kept if weights is None else weights * kept
        if weights is not None:
            values = _record(_pointwise.multiply, (values, weights), {}, _frame(1))
        if self.reduction in (None, "none") or not values._spec.shape:
            return values
        return _reduced(values, "sum" if self.reduction == "sum" else "mean")

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


def _converted(y_pred: Any) -> Any:
    p = _operand(y_pred)
    dtype = p._spec.dtype
    if dtype.kind in "fV" and dtype.itemsize != 4:
        # Keras computes losses in float32, whatever the model does.
        return _record(_cast, (p,), {"dtype": _np.dtype(_np.float32)}, _frame(1))
    return p


def _class(name: str, function: _Callable[..., Any], options: dict[str, Any], word: str) -> Any:
    def __init__(self: Any, *arguments: Any, **more: Any) -> None:
        given = dict(options)
        names = [*options, "reduction", "name", "dtype"]
        if name in ("MeanSquaredError", "MeanAbsoluteError"):
            names = ["reduction", "name", "dtype"]
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
        "call": call,
        "get_config": get_config,
        "__doc__": f"The loss {word}, reduced over a batch: see `{word}` and `Loss`.",
        "__module__": __name__,
    }
    return type(name, (Loss,), space)


def _negative_cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return -cosine_similarity(y_true, y_pred, axis)


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
CosineSimilarity = _class("CosineSimilarity", _negative_cosine, {"axis": -1}, "cosine_similarity")
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
MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kl_divergence
logcosh = log_cosh


def get(identifier: Any) -> Any:
    """Returns the loss that a word or a function stands for."""
    if identifier is None or callable(identifier):
        return identifier
    found = globals().get(identifier) if isinstance(identifier, str) and identifier in __all__ else None
    if found is None:
        raise _ArgumentError(f"Could not interpret loss identifier: {identifier}", site=_here())
    return found() if isinstance(found, type) else found


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.losses", name, __all__)


__all__ = [
    "KLD", "MAE", "MAPE", "MSE", "MSLE", "BinaryCrossentropy", "CategoricalCrossentropy", "CosineSimilarity",
    "Hinge", "Huber", "KLDivergence", "LogCosh", "Loss", "MeanAbsoluteError", "MeanAbsolutePercentageError",
    "MeanSquaredError", "MeanSquaredLogarithmicError", "Poisson", "Reduction",
    "SparseCategoricalCrossentropy", "SquaredHinge", "binary_crossentropy", "categorical_crossentropy",
    "cosine_similarity", "get", "hinge", "huber", "kl_divergence", "kld", "log_cosh", "logcosh", "mae",
    "mape", "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error",
    "mean_squared_logarithmic_error", "mse", "msle", "poisson", "sparse_categorical_crossentropy",
    "squared_hinge",
]  # fmt: skip
