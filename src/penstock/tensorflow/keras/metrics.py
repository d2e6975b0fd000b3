"""tf.keras.metrics: means and counts kept over many batches, in separate variables."""

from __future__ import annotations

import sys as _sys
from typing import Any

import numpy as _np

from penstock.functions.composite import composite as _composite
from penstock.layers.masks import Masks as _Masks
from penstock.layers.masks import mask_of as _mask_of
from penstock.ops import pointwise as _pointwise
from penstock.ops import reduce as _reduce
from penstock.ops import shape as _shape
from penstock.ops.table import cast as _cast
from penstock.state.variable import read as _read
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import losses as _losses
from penstock.tensorflow.keras._metric import FLOAT as _FLOAT
from penstock.tensorflow.keras._metric import Metric as Metric
from penstock.tensorflow.keras._metric import as_float as _as_float
from penstock.tensorflow.keras._metric import quotient as _quotient
from penstock.tensorflow.keras._metric import total as _total
from penstock.trace.lengths import real as _real
from penstock.trace.tensor import Tensor as _Tensor

_frame = _sys._getframe


class Mean(Metric):
    """The mean of all numbers given so far.

    >>> from penstock import tensorflow as tf
    >>> mean = tf.keras.metrics.Mean()
    >>> mean.update_state([1.0, 3.0])
    >>> float(mean.result())
    2.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total, self.count = (self.add_weight(dtype=self.dtype, name=name) for name in ("total", "count"))

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes numbers in, each with its weight."""
        self._take(values, sample_weight)

    def _take(self, values: Any, sample_weight: Any) -> None:
        values = self._own(values)
        count: Any = _real(values._spec.size)
        if sample_weight is not None:
            weights = self._own(sample_weight)
            own, given = values._spec.shape, weights._spec.shape
            if len(given) < len(own):
                lengths = (*given, *(1,) * (len(own) - len(given)))
                weights = _record(_shape.reshape, (weights,), {"shape": lengths}, _frame(1))
            if weights._spec.shape != own:
                weights = _record(_shape.broadcast_to, (weights,), {"shape": own}, _frame(1))
            values = _record(_pointwise.multiply, (values, weights), {}, _frame(1))
            count = _total(weights)
        self.total.assign_add(_total(values))
        self.count.assign_add(count)

    def _take_mean(self, mean: Any, count: int) -> None:
        """Adds the mean of `count` numbers."""
        mean = self._own(mean)
        if mean._spec.shape:
            mean = _quotient(_total(mean), _real(mean._spec.size))
        self.total.assign_add(mean * float(count))
        self.count.assign_add(float(count))

    def result(self) -> Any:
        """Returns the mean; 0 before any number."""
        if self.total._spec.dtype.kind in "iu":
            return _quotient(_as_float(self.total), _as_float(self.count))
        return _quotient(self.total, self.count)


class Sum(Metric):
    """The sum of all numbers given so far."""

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(dtype=self.dtype, name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes numbers in."""
        values = self._own(values)
        if sample_weight is not None:
            values = _record(_pointwise.multiply, (values, self._own(sample_weight)), {}, _frame(1))
        self.total.assign_add(_total(values))

    def result(self) -> Any:
        """Returns the sum."""
        return _read(self.total)


class MeanMetricWrapper(Mean):
    """The mean of a function of targets and predictions."""

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(name, dtype)
        self._function, self._options = fn, options

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any = None, sample_weight: Any = None
    ) -> None:
        """Adds a batch of targets and predictions, except masked steps."""
        values = self._function(y_true, y_pred, **self._options)
        if _Masks.active and (mask := _mask_of(y_pred)) is not None:
            kept = _as_float(mask)
            if sample_weight is not None:
                rank = len(kept._spec.shape)
                kept = kept * _losses._weights(sample_weight, _FLOAT, rank)
            sample_weight = kept
        self._take(values, sample_weight)


# -- functions ---------------------------------------------------------------------------------------------


@_composite(2, "accuracy")
def _equal(t: Any, p: Any) -> _Tensor:
    return _cast(t == p, dtype=_FLOAT)


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 where both are equal, 0 elsewhere."""
    return _equal(*_losses._same_rank(_as_float(y_true), _as_float(y_pred)))


@_composite(2, "binary_accuracy")
def _above(t: Any, p: Any, threshold: float) -> _Tensor:
    return _cast(t == _cast(p > threshold, dtype=t.dtype), dtype=_FLOAT)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Returns 1 for each prediction that lies on the right side of the threshold, 0 for the others."""
    return _above(*_losses._same_rank(_as_float(y_true), _as_float(y_pred)), float(threshold))


@_composite(2, "sparse_categorical_accuracy")
def _largest_at(t: Any, p: Any) -> _Tensor:
    found = _reduce.argmax(p, axis=p.ndim - 1, dtype=_np.dtype(_np.int64), skips_nan=True)
    return _cast(found == t, dtype=_FLOAT)


@_composite(2, "categorical_accuracy")
def _both_largest(t: Any, p: Any) -> _Tensor:
    last = {"axis": p.ndim - 1, "dtype": _np.dtype(_np.int64), "skips_nan": True}
    first, second = (_reduce.argmax(x, **last) for x in (t, p))
    return _cast(first == second, dtype=_FLOAT)


def _classes(y_true: Any, rank: int, dtype: Any) -> Any:
    """Returns class numbers in a dtype, without their last axis where it is one more than they need."""
    t = _operand(y_true)
    if len(t._spec.shape) == rank and t._spec.shape[-1:] == (1,):
        t = _record(_shape.reshape, (t,), {"shape": t._spec.shape[:-1]}, _frame(2))
    return t if t._spec.dtype == dtype else _record(_cast, (t,), {"dtype": _np.dtype(dtype)}, _frame(2))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 where the largest prediction is that of the class, 0 elsewhere."""
    p = _operand(y_pred)
    return _largest_at(_classes(y_true, len(p._spec.shape), _np.int64), p)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 where both are largest at the same class, 0 elsewhere."""
    return _both_largest(_operand(y_true), _operand(y_pred))


@_composite(2, "in_top_k")
def _among_largest(t: Any, p: Any, k: int) -> _Tensor:
    """Returns 1 where fewer than k predictions are larger than that of class t, 0 elsewhere.

    A row with a prediction that is not finite has no order: it gives 0.
    """
    classes = _np.arange(p.shape[-1], dtype=t.dtype)
    own = _shape.reshape(t, shape=(*t.shape, 1)) == classes
    score = _reduce.sum(_pointwise.where(own, p, 0.0), axes=(p.ndim - 1,), keepdims=True)
    larger = _reduce.sum(_cast(p > score, dtype=_FLOAT), axes=(p.ndim - 1,), keepdims=False)
    finite = _reduce.all(_pointwise.isfinite(p), axes=(p.ndim - 1,), keepdims=False)
    return _cast(_pointwise.logical_and(larger < float(k), finite), dtype=_FLOAT)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Returns 1 where the prediction of the class is among the k largest, 0 elsewhere.

    >>> from penstock import tensorflow as tf
    >>> top = tf.keras.metrics.sparse_top_k_categorical_accuracy([2, 1], [[0.1, 0.9, 0.8], [0.05, 0, 1]], k=2)
    >>> print(top)
    tf.Tensor([1. 0.], shape=(2,), dtype=float32)
    """
    p, shape = _as_float(y_pred), _operand(y_true)._spec.shape
    found = _among_largest(_classes(y_true, len(p._spec.shape), _np.int32), p, int(k))
    return _record(_shape.reshape, (found,), {"shape": shape}, _frame(1))


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Returns 1 where the prediction of the class that is largest in `y_true` is among the k largest."""
    t = _operand(y_true)
    params = {"axis": len(t._spec.shape) - 1, "dtype": _np.dtype(_np.int64), "skips_nan": True}
    return sparse_top_k_categorical_accuracy(_record(_reduce.argmax, (t,), params, _frame(1)), y_pred, k)


def _wrapped(name: str, function: Any, word: str, options: dict[str, Any] | None = None) -> Any:
    def __init__(self: Any, *arguments: Any, **more: Any) -> None:
        given = dict(options or {})
        names = ("k", "name", "dtype") if "k" in given else ("name", "dtype")
        more = {**dict(zip(names, arguments)), **more}
        for key in given:
            given[key] = more.pop(key, given[key])
        more.setdefault("name", word)
        MeanMetricWrapper.__init__(self, function, **more, **given)

    text = f"The mean of `{function.__name__}` over all batches."
    return type(name, (MeanMetricWrapper,), {"__init__": __init__, "__doc__": text, "__module__": __name__})


_LOGITS = {"from_logits": False, "label_smoothing": 0.0}
Accuracy = _wrapped("Accuracy", accuracy, "accuracy")
BinaryAccuracy = _wrapped("BinaryAccuracy", binary_accuracy, "binary_accuracy", {"threshold": 0.5})
CategoricalAccuracy = _wrapped("CategoricalAccuracy", categorical_accuracy, "categorical_accuracy")
SparseCategoricalAccuracy = _wrapped(
    "SparseCategoricalAccuracy", sparse_categorical_accuracy, "sparse_categorical_accuracy"
)
MeanSquaredError = _wrapped("MeanSquaredError", _losses.mean_squared_error, "mean_squared_error")
MeanAbsoluteError = _wrapped("MeanAbsoluteError", _losses.mean_absolute_error, "mean_absolute_error")
BinaryCrossentropy = _wrapped(
    "BinaryCrossentropy", _losses.binary_crossentropy, "binary_crossentropy", _LOGITS
)
CategoricalCrossentropy = _wrapped(
    "CategoricalCrossentropy", _losses.categorical_crossentropy, "categorical_crossentropy", _LOGITS
)
SparseCategoricalCrossentropy = _wrapped(
    "SparseCategoricalCrossentropy",
    _losses.sparse_categorical_crossentropy,
    "sparse_categorical_crossentropy",
    {"from_logits": False},
)


TopKCategoricalAccuracy = _wrapped(
    "TopKCategoricalAccuracy", top_k_categorical_accuracy, "top_k_categorical_accuracy", {"k": 5}
)
SparseTopKCategoricalAccuracy = _wrapped(
    "SparseTopKCategoricalAccuracy", sparse_top_k_categorical_accuracy, "sparse_top_k_categorical_accuracy",
    {"k": 5},
)  # fmt: skip
MeanAbsolutePercentageError = _wrapped(
    "MeanAbsolutePercentageError", _losses.mean_absolute_percentage_error, "mean_absolute_percentage_error"
)
MeanSquaredLogarithmicError = _wrapped(
    "MeanSquaredLogarithmicError", _losses.mean_squared_logarithmic_error, "mean_squared_logarithmic_error"
)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Returns the sum of products of both, divided by their lengths: the loss of this name with a minus."""
    return -_losses.cosine_similarity(y_true, y_pred, axis)


CosineSimilarity = _wrapped("CosineSimilarity", cosine_similarity, "cosine_similarity", {"axis": -1})
LogCoshError = _wrapped("LogCoshError", _losses.log_cosh, "logcosh")
Hinge = _wrapped("Hinge", _losses.hinge, "hinge")
SquaredHinge = _wrapped("SquaredHinge", _losses.squared_hinge, "squared_hinge")
CategoricalHinge = _wrapped("CategoricalHinge", _losses.categorical_hinge, "categorical_hinge")
KLDivergence = _wrapped("KLDivergence", _losses.kl_divergence, "kl_divergence")
Poisson = _wrapped("Poisson", _losses.poisson, "poisson")


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any = None, sample_weight: Any = None
    ) -> None:
        """Takes a batch of targets and predictions in."""
        t, p = _losses._same_rank(_as_float(y_true), _as_float(y_pred))
        self._take((t - p) ** 2, sample_weight)

    def result(self) -> Any:
        """Returns the root."""
        return _record(_pointwise.sqrt, (super().result(),), {}, _frame(1))


mean_squared_error = mse = MSE = _losses.mean_squared_error
mean_absolute_error = mae = MAE = _losses.mean_absolute_error
binary_crossentropy = _losses.binary_crossentropy
categorical_crossentropy = _losses.categorical_crossentropy
sparse_categorical_crossentropy = _losses.sparse_categorical_crossentropy
mean_absolute_percentage_error = mape = MAPE = _losses.mean_absolute_percentage_error
mean_squared_logarithmic_error = msle = MSLE = _losses.mean_squared_logarithmic_error
kl_divergence = kld = KLD = kullback_leibler_divergence = _losses.kl_divergence
binary_focal_crossentropy = _losses.binary_focal_crossentropy
categorical_focal_crossentropy = _losses.categorical_focal_crossentropy
hinge, squared_hinge, categorical_hinge = _losses.hinge, _losses.squared_hinge, _losses.categorical_hinge
poisson, log_cosh = _losses.poisson, _losses.log_cosh
logcosh, huber = _losses.log_cosh, _losses.huber


__getattr__, __dir__, _public = _namespace(
    "tf.keras.metrics",
    globals(),
    "keras._class_scores keras._counting keras._metric",
    rest="keras._identifiers keras._regression_scores keras._trade_offs",
)
