"""tf.train.ExponentialMovingAverage: averages of variables over the steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.tensor import Cell


@named("tf.train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps an average for each variable: average = decay * average + (1 - decay) * variable.

    With `num_updates`, the decay is at most (1 + num_updates) / (10 + num_updates).

    >>> from penstock import tensorflow as tf
    >>> weight = tf.Variable(1.0)
    >>> averages = tf.train.ExponentialMovingAverage(0.9)
    >>> averages.apply([weight])
    >>> unread = weight.assign(2.0)
    >>> averages.apply([weight])
    >>> round(float(averages.average(weight).numpy()), 4)
    1.1
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._updates, self._debiased, self.name = decay, num_updates, zero_debias, name
        self._averages: dict[int, Any] = {}
        self._counts: dict[int, int] = {}

    def apply(self, var_list: Any = None) -> None:
        """Takes the present values of variables into their averages."""
        for variable in var_list or ():
            key = id(variable)
            if key not in self._averages:
                start = np.asarray(variable.numpy())
                start = np.zeros_like(start) if self._debiased else start
                self._averages[key] = ResourceVariable(
                    start, trainable=False, name=self.average_name(variable)
                )
                self._counts[key] = 0
                if not self._debiased:
                    continue
            # In float32, whatever the variable's dtype.
            one, decay = np.float32(1.0), np.float32(self._decay)
            if self._updates is not None:
                count = self._updates.numpy() if isinstance(self._updates, Cell) else self._updates
                decay = min(decay, (one + np.float32(count)) / (np.float32(10.0) + np.float32(count)))
            self._counts[key] += 1
            average = self._averages[key]
            average.assign_sub((average - variable) * float(one - decay))

    def average(self, var: Any) -> Any:
        """Returns the variable that holds the average of another; None before `apply`."""
        average = self._averages.get(id(var))
        if average is None or not self._debiased:
            return average
        return average / (1.0 - self._decay ** self._counts[id(var)])

    def average_name(self, var: Any) -> str:
        """Returns the name of a variable's average."""
        return f"{var.name.removesuffix(':0')}/{self.name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Returns variables by the names of their averages."""
        return {self.average_name(one): one for one in moving_avg_variables or ()}
