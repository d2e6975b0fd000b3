"""Averages of variables, which a graph moves."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._averages import ExponentialMovingAverage as _EagerAverage
from penstock.tensorflow._graphs.graph import GraphKeys, mode
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow.compat.v1 import _lifted as tf


@named("tf.compat.v1.train.ExponentialMovingAverage")
class ExponentialMovingAverage(_EagerAverage):
    """Keeps an average of variables; in a graph, `apply` returns the operation that takes their values in."""

    def apply(self, var_list: Any = None) -> Any:
        """Returns the operation that takes the values of variables, or tensors, into their averages."""
        if mode.building() is None:
            return super().apply(var_list)
        variables = tf.trainable_variables() if var_list is None else list(var_list)
        decay = tf.cast(self._decay, tf.float32)
        if self._updates is not None:
            count = tf.cast(self._updates, tf.float32)
            decay = tf.minimum(decay, (1.0 + count) / (10.0 + count))
        moved = []
        for one in variables:
            if id(one) not in self._averages:
                start = one.initialized_value() if isinstance(one, GraphVariable) else tf.zeros_like(one)
                name = f"{one.op.name}/{self.name}"
                keys = [GraphKeys.GLOBAL_VARIABLES, "moving_average_variables"]
                with mode.default().name_scope(None):
                    made = GraphVariable(start, trainable=False, name=name, collections=keys)
                self._averages[id(one)] = made
            average = self._averages[id(one)]
            share = tf.cast(1.0 - decay, average.dtype)
            moved.append(tf.assign_sub(average, (average - one) * share))
        return tf.group(*moved, name=self.name)

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
