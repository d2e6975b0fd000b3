"""Averages of variables, which a graph moves."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._averages import ExponentialMovingAverage as _EagerAverage
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow.compat.v1 import _lifted as tf


@named("tf.compat.v1.train.ExponentialMovingAverage")
class ExponentialMovingAverage(_EagerAverage):
    """Keeps an average of variables; in a graph, `apply` returns the operation that takes their values in.

    With `zero_debias`, averages of tensors, which start at 0, are divided by the weight of their values.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._sums: dict[int, tuple[Any, Any]] = {}

    def apply(self, var_list: Any = None) -> Any:
        """Returns the operation that takes the values of variables, or tensors, into their averages."""
        if mode.building() is None:
            return super().apply(var_list)
        variables = tf.trainable_variables() if var_list is None else list(var_list)
        decay = tf.cast(self._decay, tf.float32)
        if self._updates is not None:
            count = tf.cast(self._updates, tf.float32)
            decay = tf.minimum(decay, (1.0 + count) / (10.0 + count))
        for one in variables:
            if id(one) not in self._averages:
                self._averages[id(one)] = _started(one, self.name)
        moved = []
        for one in variables:
            average = self._averages[id(one)]
            share = tf.cast(1.0 - decay, average.dtype)
            if self._debiased and not isinstance(one, GraphVariable):
                moved.append(self._corrected(average, one, share))
            else:
                moved.append(tf.assign_sub(average, (average - one) * share))
        return tf.group(*moved, name=self.name)

    def _corrected(self, average: Any, one: Any, share: Any) -> Any:
        """Returns the operation that moves an average from 0, and divides it by the weight of the values."""
        if id(one) not in self._sums:
            name = average.op.name
            total = _beside(f"{name}/biased", _zeros_for(one))
            self._sums[id(one)] = total, _beside(f"{name}/local_step", tf.zeros([], one.dtype))
        total, count = self._sums[id(one)]
        moved = tf.assign_sub(total, (total - one) * share)
        steps = tf.assign_add(count, tf.ones([], count.dtype))
        return tf.assign(average, moved / (1.0 - tf.pow(1.0 - share, steps)))

    def average(self, var: Any) -> Any:
        """Returns the variable that holds the average of another; None before `apply`."""
        return self._averages.get(id(var)) if mode.building() is not None else super().average(var)

    def average_name(self, var: Any) -> str:
        """Returns the name of a variable's average."""
        name = var.op.name if isinstance(var, GraphVariable) else var.name.removesuffix(":0")
        return f"{name}/{self.name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Returns variables by the names that a checkpoint of averages has for them."""
        given = tf.trainable_variables() if moving_avg_variables is None else moving_avg_variables
        found = {self.average_name(one): one for one in given}
        others = [one for one in tf.global_variables() if not any(one is known for known in given)]
        own = {id(one) for one in self._averages.values()}
        return {**found, **{one.op.name: one for one in others if id(one) not in own}}


def _started(one: Any, name: str) -> GraphVariable:
    """Returns the average of a variable, which starts as its value, or of a tensor, which starts at 0."""
    if isinstance(one, GraphVariable):
        mode.default().add_to_collection("moving_average_variables", one)
        return _beside(f"{one.op.name}/{name}", one.initialized_value())
    return _beside(f"{one.op.name}/{name}", _zeros_for(one))


def _beside(name: str, start: Any) -> GraphVariable:
    """Returns a variable that is not trained, with its full name."""
    with mode.default().name_scope(None):
        return GraphVariable(start, trainable=False, name=name)


def _zeros_for(one: Any) -> Any:
    """Returns zeros in the shape of a tensor, which does not need to be computed if its shape is known."""
    shape = one.shape
    known = shape.rank is not None and all(length is not None for length in shape)
    return tf.zeros(list(shape), one.dtype) if known else tf.zeros_like(one)
