"""Lines that restore earlier values of variables: from before all updates, or after the latest one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.flow.noted import Restored, Undone
from penstock.flow.observed import Wrote
from penstock.trace.source_site import Site

FEW = 16
"""How many elements are enough to distinguish most values; if they are equal, the others are compared."""


@dataclass(slots=True)
class _Course:
    """A variable's value before its first update, as a `few` elements and a checksum, and the updating line.

    `left` are a few elements of the value after the latest update, once a line has overwritten it. `measured`
    is the latest step whose resulting value the program has used.
    """

    few: list[Any]
    whole: int
    updates: Site | None
    left: list[Any] | None = None
    measured: int = -1


class Returns:
    """The initial values of variables, and values that lines of the program have overwritten."""

    def __init__(self) -> None:
        self._courses: dict[int, _Course] = {}

    def updated(self, order: int, one: Wrote) -> None:
        """Notes the first update of a variable by a line."""
        if one.before is not None and order not in self._courses:
            self._courses[order] = _Course(_some(one.before), _print(one.before), one.site)

    def measured(self, orders: Iterable[int], step: int) -> None:
        """Notes variables that the program uses with their values after a step."""
        for order in orders:
            course = self._courses.get(order)
            if course is not None:
                course.measured = step

    def wrote(self, order: int, one: Wrote, first: bool, updated: int) -> Restored | Undone | None:
        """Notes a manual write, the `first` since the latest update; returns the note on it.

        `updated` is the step of that update. If the program used its result before, it is not lost: a program
        that repeats a trial from the same start resets on purpose.
        """
        course = self._courses.get(order)
        if course is None or one.before is None or one.after is None:
            return None
        if first:
            course.left = _some(one.before)
        now = _some(one.after)
        if now == course.left:
            return None if first else Restored(one.by, one.site)
        if course.measured < updated and now == course.few and _print(one.after) == course.whole:
            return Undone(one.by, one.site, course.updates)
        return None


def _some(value: Any) -> list[Any]:
    flat = np.asarray(value).reshape(-1)
    found: list[Any] = flat[:: max(flat.size // FEW, 1)].tolist()
    return found


def _print(value: Any) -> int:
    return hash(np.ascontiguousarray(value).tobytes())


__all__ = ["Returns"]
