"""tf.keras.optimizers.schedules: learning rates that depend on the number of updates."""

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as _np

from penstock.functions.array import astype as _astype
from penstock.optimizers import schedules as _schedules
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import tensor_of as _tensor_of
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._constructors import construct as _construct
from penstock.tensorflow.keras._constructors import fields_of as _fields_of
from penstock.trace.source_site import here as _here


class LearningRateSchedule:
    """Base of schedules: `schedule(step)` gives the learning rate of the update after `step` updates."""

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate after this many updates."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make this schedule."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be "
            "serializable."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a schedule with these arguments."""
        return cls(**config)


class _Recorded(LearningRateSchedule):
    """A schedule whose native twin is computed on the record; its fields are arguments by Keras' names."""

    _names: tuple[str, ...] = ()
    _twin: Any = None
    _native: _schedules.Schedule
    name: str

    def __init_subclass__(cls) -> None:
        if cls.__module__ == __name__:
            words, defaults = _fields_of(cls)
            cls._names = tuple(name for name in words if name != "name")
            cls._twin = getattr(_schedules, cls.__name__)
            kept = "".join(f"    self.{name} = {name}\n" for name in words)
            _construct(cls, words, defaults, f"{kept}    self._start()\n")

    def _start(self) -> None:
        self._check()
        self._native = self._twin(**{name: vars(self)[name] for name in self._names})

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate after this many updates, or after each number of a tensor, as float32."""
        rate = self._native.rate(_astype(_operand(step), _np.float32))
        return _tensor_of(rate, _np.dtype(_np.float32))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make this schedule."""
        return {**{name: vars(self)[name] for name in self._names}, "name": self.name}

    def _check(self) -> None:
        for count in ("decay_steps", "first_decay_steps"):
            if vars(self).get(count, 1) <= 0:
                raise _ArgumentError(
                    f"Argument `{count}` must be > 0. Received: {count}={vars(self)[count]}", site=_here()
                )


class ExponentialDecay(_Recorded):
    """A rate multiplied by `decay_rate` over `decay_steps` updates, gradually or (`staircase`) at once.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.optimizers.schedules.ExponentialDecay(1.0, decay_steps=2, decay_rate=0.25)(1))
    tf.Tensor(0.5, shape=(), dtype=float32)
    """

    initial_learning_rate: float
    decay_steps: float
    decay_rate: float
    staircase: bool = False
    name: str = "ExponentialDecay"


class InverseTimeDecay(_Recorded):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    >>> from penstock import tensorflow as tf
    >>> float(tf.keras.optimizers.schedules.InverseTimeDecay(1.0, decay_steps=2, decay_rate=1.0)(6))
    0.25
    """

    initial_learning_rate: float
    decay_steps: float
    decay_rate: float
    staircase: bool = False
    name: str = "InverseTimeDecay"


class PolynomialDecay(_Recorded):
    """From the initial rate to the end rate along a power of the remaining share of `decay_steps`.

    >>> from penstock import tensorflow as tf
    >>> float(tf.keras.optimizers.schedules.PolynomialDecay(1.0, 4, end_learning_rate=0.5)(2))
    0.75
    """

    initial_learning_rate: float
    decay_steps: float
    end_learning_rate: float = 0.0001
    power: float = 1.0
    cycle: bool = False
    name: str = "PolynomialDecay"


class PiecewiseConstantDecay(_Recorded):
    """values[0] up to and including step boundaries[0], then values[1], and so on.

    >>> from penstock import tensorflow as tf
    >>> schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([2], [1.0, 0.5])
    >>> [float(schedule(step)) for step in (2, 3)]
    [1.0, 0.5]
    """

    boundaries: _Sequence[float]
    values: _Sequence[float]
    name: str = "PiecewiseConstant"

    def _check(self) -> None:
        boundaries, values = self.boundaries, self.values
        if len(boundaries) != len(values) - 1:
            raise _ArgumentError(
                "The length of boundaries should be 1 less than the length of values. Received: boundaries="
                f"{boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}.",
                site=_here(),
            )


class CosineDecay(_Recorded):
    """Half a cosine down to `alpha` times the initial rate, after a rise to `warmup_target` if there is one.

    >>> from penstock import tensorflow as tf
    >>> round(float(tf.keras.optimizers.schedules.CosineDecay(1.0, 4)(2)), 6)
    0.5
    """

    initial_learning_rate: float
    decay_steps: float
    alpha: float = 0.0
    name: str = "CosineDecay"
    warmup_target: float | None = None
    warmup_steps: float = 0


class CosineDecayRestarts(_Recorded):
    """Cosine decay that starts over, each time for `t_mul` times as long and `m_mul` times as high.

    >>> from penstock import tensorflow as tf
    >>> round(float(tf.keras.optimizers.schedules.CosineDecayRestarts(1.0, 2)(1)), 6)
    0.5
    """

    initial_learning_rate: float
    first_decay_steps: float
    t_mul: float = 2.0
    m_mul: float = 1.0
    alpha: float = 0.0
    name: str = "SGDRDecay"


def serialize(learning_rate_schedule: LearningRateSchedule) -> dict[str, Any]:
    """Returns the class and the arguments of a schedule as a dictionary."""
    ours = type(learning_rate_schedule).__module__ == __name__
    return {
        "module": "keras.optimizers.schedules" if ours else type(learning_rate_schedule).__module__,
        "class_name": type(learning_rate_schedule).__name__,
        "config": learning_rate_schedule.get_config(),
        "registered_name": None if ours else type(learning_rate_schedule).__name__,
    }


def deserialize(config: dict[str, Any], custom_objects: Any = None) -> Any:
    """Returns the schedule that a dictionary of `serialize` describes."""
    name = str(config.get("class_name", ""))
    found = (custom_objects or {}).get(name) or (globals().get(name) if name in __all__ else None)
    if found is None:
        raise _ArgumentError(f"Could not interpret schedule: {config}", site=_here())
    return found.from_config(config["config"])


__getattr__, __dir__, __all__ = _namespace("tf.keras.optimizers.schedules", globals())
