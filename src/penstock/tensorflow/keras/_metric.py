"""The base of metrics: separate variables, kept over many batches."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.composite import composite
from penstock.layers import initializers
from penstock.ops import pointwise, reduce
from penstock.ops.table import cast
from penstock.tensorflow._convert import operand, record
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._defaults import floatx
from penstock.tensorflow.keras._scope import Metric as Marked
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.trace.tensor import Tensor

_frame = sys._getframe
FLOAT = np.dtype(np.float32)


def as_float(x: Any) -> Any:
    """Returns a tensor of float32."""
    x = operand(x)
    return x if x._spec.dtype == FLOAT else record(cast, (x,), {"dtype": FLOAT}, _frame(1))


@named("tf.keras.metrics.Metric", "tf.keras.Metric")
class Metric(Marked):
    """A statistic over many batches; write one as a subclass with `update_state` and `result`."""

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = automatic_name(type(self).__name__) if name is None else name
        self.dtype = floatx() if dtype is None else numpy_dtype(dtype).name
        self.variables: list[Any] = []

    def add_weight(
        self,
        shape: Any = (),
        initializer: Any = None,
        dtype: Any = None,
        name: str | None = None,
    ) -> Any:
        """Returns a new variable of this metric: by default zero, of the dtype of `floatx` as in Keras."""
        value = initializers.get("zeros" if initializer is None else initializer)(
            tuple(shape), numpy_dtype(dtype or floatx())
        )
        path = f"{self.name}/{'variable' if name is None else name}"
        made = KerasVariable(np.asarray(value), trainable=False, name=path)
        self.variables.append(made)
        return made

    def add_variable(
        self, shape: Any, initializer: Any, dtype: Any = None, aggregation: Any = "sum", layout: Any = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """Returns a new variable of this metric.

        `aggregation` and `layout` do nothing: there is one device, and variables are not copied.
        """
        return self.add_weight(shape, initializer, dtype, name)

    def _own(self, x: Any) -> Any:
        """Returns a tensor of the metric's dtype."""
        x, wanted = operand(x), numpy_dtype(self.dtype)
        return x if x._spec.dtype == wanted else record(cast, (x,), {"dtype": wanted}, _frame(1))

    @property
    def weights(self) -> list[Any]:
        """The variables."""
        return self.variables

    def reset_state(self) -> None:
        """Sets the variables to zero."""
        for variable in self.variables:
            variable.assign(np.zeros(variable.shape, variable.dtype))

    def reset_states(self) -> None:
        """Sets the variables to zero."""
        self.reset_state()

    def update_state(self, *arguments: Any, **options: Any) -> Any:
        """Takes one more batch in; a subclass writes this."""
        raise NotImplementedError

    def result(self) -> Any:
        """Returns the result over all batches so far; a subclass writes this."""
        raise NotImplementedError

    def stateless_update_state(self, metric_variables: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Returns the values of the variables after one more batch, from these; the metric stays as it is."""
        from penstock.tensorflow.keras import _stateless

        return _stateless.update_metric(self, metric_variables, args, kwargs)

    def stateless_result(self, metric_variables: Any) -> Any:
        """Returns the result for these values of the variables."""
        from penstock.tensorflow.keras import _stateless

        return _stateless.metric_result(self, metric_variables)

    def stateless_reset_state(self) -> list[Any]:
        """Returns the values of the variables with which the metric begins."""
        from penstock.tensorflow.keras import _stateless

        return _stateless.reset_metric(self)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Takes one more batch in and returns the result."""
        self.update_state(*arguments, **options)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a metric with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


@composite(2, "mean")
def quotient(amount: Any, count: Any) -> Tensor:
    """Returns one divided by the other; 0 where that is 0."""
    return pointwise.where(count == 0.0, 0.0, amount / pointwise.where(count == 0.0, 1.0, count))


@composite(1, "sum")
def total(values: Any) -> Tensor:
    """Returns the sum of all elements."""
    return reduce.sum(values, axes=tuple(range(values.ndim)), keepdims=False)
