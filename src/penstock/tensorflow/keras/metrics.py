"""tf.keras.metrics: means kept over many batches, in variables of their own."""

from __future__ import annotations

import sys as _sys
from typing import Any

import numpy as _np

from penstock.functions.composite import composite as _composite
from penstock.layers import initializers as _initializers
from penstock.ops import pointwise as _pointwise
from penstock.ops import reduce as _reduce
from penstock.ops import shape as _shape
from penstock.ops.table import cast as _cast
from penstock.state.variable import read as _read
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras import losses as _losses
from penstock.tensorflow.keras._scope import Metric as _Marked
from penstock.tensorflow.keras._variable import KerasVariable as _KerasVariable
from penstock.tensorflow.keras.backend import automatic_name as _automatic_name
from penstock.trace.tensor import Tensor as _Tensor

_frame = _sys._getframe
_FLOAT = _np.dtype(_np.float32)


def _float(x: Any) -> Any:
    x = _operand(x)
    return x if x._spec.dtype == _FLOAT else _record(_cast, (x,), {"dtype": _FLOAT}, _frame(1))


class Metric(_Marked):
    """Something kept over many batches; write one as a subclass with `update_state` and `result`."""

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = _automatic_name(type(self).__name__) if name is None else name
        self.dtype = "float32" if dtype is None else dtype
        self.variables: list[Any] = []

    def add_weight(
        self,
        shape: Any = (),
        initializer: Any = None,
        dtype: Any = None,
        name: str | None = None,
        **more: Any,
    ) -> Any:
        """Returns a new variable of this metric, zero unless told otherwise."""
        value = _initializers.get("zeros" if initializer is None else initializer)(
            tuple(shape), _np.dtype(dtype or "float32")
        )
        path = f"{self.name}/{'variable' if name is None else name}"
        made = _KerasVariable(_np.asarray(value), trainable=False, name=path)
        self.variables.append(made)
        return made

    add_variable = add_weight

    @property
    def weights(self) -> list[Any]:
        """The variables."""
        return self.variables

    def reset_state(self) -> None:
        """Sets the variables to zero."""
        for variable in self.variables:
            variable.assign(_np.zeros(variable.shape, variable.dtype))

    def reset_states(self) -> None:
        """Sets the variables to zero."""
        self.reset_state()

    def update_state(self, *arguments: Any, **options: Any) -> Any:
        """Takes one more batch in; a subclass writes this."""
        raise NotImplementedError

    def result(self) -> Any:
        """Returns what the batches have come to; a subclass writes this."""
        raise NotImplementedError

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Takes one more batch in and returns the result."""
        self.update_state(*arguments, **options)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {"name": self.name, "dtype": self.dtype}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


@_composite(2, "mean")
def _quotient(total: Any, count: Any) -> _Tensor:
    return _pointwise.where(count == 0.0, 0.0, total / _pointwise.where(count == 0.0, 1.0, count))


@_composite(1, "sum")
def _sum(values: Any) -> _Tensor:
    return _reduce.sum(values, axes=tuple(range(values.ndim)), keepdims=False)


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
        self.total, self.count = self.add_weight(name="total"), self.add_weight(name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes numbers in, each with its weight."""
        self._take(values, sample_weight)

    def _take(self, values: Any, sample_weight: Any) -> None:
        values = _float(values)
        count: Any = float(values._spec.size)
        if sample_weight is not None:
            weights = _float(sample_weight)
            own, given = values._spec.shape, weights._spec.shape
            if len(given) < len(own):
                lengths = (*given, *(1,) * (len(own) - len(given)))
                weights = _record(_shape.reshape, (weights,), {"shape": lengths}, _frame(1))
            if weights._spec.shape != own:
                weights = _record(_shape.broadcast_to, (weights,), {"shape": own}, _frame(1))
            values = _record(_pointwise.multiply, (values, weights), {}, _frame(1))
            count = _sum(weights)
        self.total.assign_add(_sum(values))
        self.count.assign_add(count)

    def result(self) -> Any:
        """Returns the mean; 0 before any number."""
        return _quotient(self.total, self.count)


class Sum(Metric):
    """The sum of all numbers given so far."""

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes numbers in."""
        values = _float(values)
        if sample_weight is not None:
            values = _record(_pointwise.multiply, (values, _float(sample_weight)), {}, _frame(1))
        self.total.assign_add(_sum(values))

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
        """Takes a batch of targets and predictions in."""
        self._take(self._function(y_true, y_pred, **self._options), sample_weight)


# -- functions ---------------------------------------------------------------------------------------------


@_composite(2, "accuracy")
def _equal(t: Any, p: Any) -> _Tensor:
    return _cast(t == p, dtype=_FLOAT)


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 where both are equal, 0 elsewhere."""
    return _equal(*_losses._same_rank(_float(y_true), _float(y_pred)))


@_composite(2, "binary_accuracy")
def _above(t: Any, p: Any, threshold: float) -> _Tensor:
    right = _cast(t == _cast(p > threshold, dtype=t.dtype), dtype=_FLOAT)
    return _reduce.mean(right, axes=(t.ndim - 1,), keepdims=False)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Returns how many predictions lie on the right side of the threshold, over the last axis."""
    return _above(*_losses._same_rank(_float(y_true), _float(y_pred)), float(threshold))


@_composite(2, "sparse_categorical_accuracy")
def _largest_at(t: Any, p: Any) -> _Tensor:
    found = _reduce.argmax(p, axis=p.ndim - 1, dtype=_np.dtype(_np.int64))
    return _cast(found == t, dtype=_FLOAT)


@_composite(2, "categorical_accuracy")
def _both_largest(t: Any, p: Any) -> _Tensor:
    first, second = (_reduce.argmax(x, axis=x.ndim - 1, dtype=_np.dtype(_np.int64)) for x in (t, p))
    return _cast(first == second, dtype=_FLOAT)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 where the largest prediction is that of the class, 0 elsewhere."""
    t, p = _operand(y_true), _operand(y_pred)
    if len(t._spec.shape) == len(p._spec.shape) and t._spec.shape[-1:] == (1,):
        t = _record(_shape.reshape, (t,), {"shape": t._spec.shape[:-1]}, _frame(1))
    if t._spec.dtype != _np.int64:
        t = _record(_cast, (t,), {"dtype": _np.dtype(_np.int64)}, _frame(1))
    return _largest_at(t, p)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 where both are largest at the same class, 0 elsewhere."""
    return _both_largest(_operand(y_true), _operand(y_pred))


def _wrapped(name: str, function: Any, word: str, options: dict[str, Any] | None = None) -> Any:
    def __init__(self: Any, *arguments: Any, **more: Any) -> None:
        given = dict(options or {})
        more = {**dict(zip(("name", "dtype"), arguments)), **more}
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


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any = None, sample_weight: Any = None
    ) -> None:
        """Takes a batch of targets and predictions in."""
        t, p = _losses._same_rank(_float(y_true), _float(y_pred))
        self._take((t - p) ** 2, sample_weight)

    def result(self) -> Any:
        """Returns the root."""
        return _record(_pointwise.sqrt, (super().result(),), {}, _frame(1))


mean_squared_error = mse = MSE = _losses.mean_squared_error
mean_absolute_error = mae = MAE = _losses.mean_absolute_error
binary_crossentropy = _losses.binary_crossentropy
categorical_crossentropy = _losses.categorical_crossentropy
sparse_categorical_crossentropy = _losses.sparse_categorical_crossentropy


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.metrics", name, __all__)


__all__ = [
    "MAE", "MSE", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy",
    "CategoricalCrossentropy", "Mean", "MeanAbsoluteError", "MeanMetricWrapper", "MeanSquaredError", "Metric",
    "RootMeanSquaredError", "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy", "Sum", "accuracy",
    "binary_accuracy", "binary_crossentropy", "categorical_accuracy", "categorical_crossentropy", "mae",
    "mean_absolute_error", "mean_squared_error", "mse", "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
]  # fmt: skip
