"""tf.keras.optimizers.schedules: learning rates that depend on the number of updates."""

from __future__ import annotations

import math as _math
from typing import Any

import numpy as _np

from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import tensor_of as _tensor_of
from penstock.tensorflow._names import absent as _absent


class LearningRateSchedule:
    """Base of schedules: `schedule(step)` gives the learning rate of the update after `step` updates."""

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate after so many updates."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make this schedule."""
        raise NotImplementedError


class ExponentialDecay(LearningRateSchedule):
    """A rate multiplied by `decay_rate` over `decay_steps` updates, gradually or (`staircase`) at once.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.optimizers.schedules.ExponentialDecay(1.0, decay_steps=2, decay_rate=0.25).at(1)
    0.5
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        self.initial_learning_rate, self.decay_steps, self.decay_rate = (
            initial_learning_rate,
            decay_steps,
            decay_rate,
        )
        self.staircase, self.name = staircase, name

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate after so many updates, as a tensor."""
        return _tensor_of(self.at(int(_operand(step))))

    def at(self, step: int) -> float:
        """Returns the learning rate after so many updates, as a number."""
        turns = step / self.decay_steps
        turns = _math.floor(turns) if self.staircase else turns
        return float(_np.float32(self.initial_learning_rate * self.decay_rate**turns))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make this schedule."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.optimizers.schedules", name, __all__)


__all__ = ["ExponentialDecay", "LearningRateSchedule"]
