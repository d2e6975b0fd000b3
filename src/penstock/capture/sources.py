"""The source of each argument of a captured program, by type.

A variable, or a tensor from outside, is its own source: each call reads its value. `Fixed` is a number of the
recording, the same for all calls. Everything else belongs to the call: such a source only gives the position
among the call's own values, so calls of two threads share nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions.keys import Fresh
from penstock.tiers import xla
from penstock.trace.captured import Binding


class Fixed:
    """A number that is an argument of the program, and the same at each call."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value


class OfCall:
    """A source with a separate value for each call: `place` is its position among the values of the call."""

    __slots__ = ("place",)

    place: int


class Passed(OfCall):
    """An argument that the caller passes."""

    __slots__ = ()


class Drawn(OfCall):
    """The key of a draw of random numbers; `key`, drawn while the step was recorded, gives the next one."""

    __slots__ = ("key",)

    def __init__(self, key: Fresh) -> None:
        self.key = key


class Setting(OfCall):
    """A hyper-parameter of an optimizer, which each call reads."""

    __slots__ = ("attribute", "converted", "dtype", "owner")

    def __init__(self, binding: Binding) -> None:
        self.owner, self.attribute, self.dtype = binding.owner, binding.attribute, binding.dtype
        # The number last read and its converted form: a pair that is replaced, never changed.
        self.converted: tuple[Any, Any] | None = None

    def read(self) -> Any:
        """Returns the owner's present number as an array."""
        number, known = getattr(self.owner, self.attribute), self.converted
        return known[1] if known is not None and known[0] == number else self.convert(number)

    def convert(self, number: Any) -> Any:
        """Returns a number as an array, which is cached for calls with the same number."""
        self.converted = known = number, np.asarray(number, self.dtype)
        return known[1]

    def on_device(self, value: Any) -> Any:
        """Returns a value that was read, moved to XLA's device: once, as long as the number stays."""
        moved, known = xla.on_device(value), self.converted
        if known is not None and known[1] is value:
            self.converted = known[0], moved
        return moved


class Rate(Setting):
    """A learning rate that a Python function computes for each update.

    `ahead` counts how often the optimizer is applied earlier in the same step.
    """

    __slots__ = ("ahead",)

    def __init__(self, binding: Binding) -> None:
        super().__init__(binding)
        self.ahead = binding.ahead

    def updates(self) -> int:
        """Returns how many updates will have been made."""
        made: int = self.owner.updates(self.ahead)
        return made

    def read(self) -> Any:
        """Returns the function's rate for the next update, as an array."""
        return self.convert(self.owner.rate_after(self.ahead))


__all__ = ["Drawn", "Fixed", "OfCall", "Passed", "Rate", "Setting"]
