"""Lines that clip stored gradients, and whether an update gets the clipped ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from penstock.flow.noted import Unlimited
from penstock.flow.observed import Variable
from penstock.trace.source_site import Site

FEW = 2
"""A line clips without effect if it has done so this often, and never otherwise."""
MOST = 1e5
"""A larger bound is none: the line only measures the norm."""


class Pass(Protocol):
    """A backward pass: the variables whose gradients were applied, and the latest update that did so."""

    @property
    def update(self) -> tuple[str, Site | None]: ...

    def is_applied(self, uid: int) -> bool:
        """Returns whether an update has applied the gradient of a variable."""


Kind = TypeVar("Kind", bound=Variable)


@dataclass(slots=True)
class _Line(Generic[Kind]):
    """How often a line has clipped gradients in time, too late and too early; the variables, the update."""

    timely: int = 0
    late: int = 0
    early: int = 0
    by: str = ""
    site: Site | None = None
    held: dict[int, Kind] = field(default_factory=dict)


class Bounds(Generic[Kind]):
    """The lines that clip gradients."""

    def __init__(self) -> None:
        self._lines: dict[Site | None, _Line[Kind]] = {}
        self._early: dict[int, Site | None] = {}

    def clip(self, site: Site | None, held: Sequence[tuple[Kind, Sequence[Pass]]], empty: bool) -> None:
        """Notes a line that clips gradients: each variable comes with the passes that have left its own.

        `empty` says that none of them has a gradient other than zeros.
        """
        line = self._lines.setdefault(site, _Line())
        line.held.update((variable.uid, variable) for variable, _ in held)
        given = [(variable.uid, calls) for variable, calls in held if calls]
        if not given:
            line.early += empty
            line.timely += not empty
            self._early.update((variable.uid, site) for variable, _ in held if empty)
        elif all(call.is_applied(uid) for uid, calls in given for call in calls):
            line.late += 1
            line.by, line.site = given[0][1][-1].update
        else:
            line.timely += 1

    def applied(self, by: str, site: Site | None, variables: Sequence[Variable]) -> None:
        """Notes an update."""
        for one in variables if self._early else ():
            line = self._lines.get(self._early.pop(one.uid, None))
            if line is not None and line.site is None:
                line.by, line.site = by, site

    def told(self) -> Iterator[tuple[Unlimited, Sequence[Kind]]]:
        """Yields a fact for each line that never clips in time."""
        for limited, line in self._lines.items():
            if not line.timely and max(line.late, line.early) >= FEW and line.site is not None:
                late = line.late >= line.early
                yield Unlimited(line.by, line.site, limited, late, not late), list(line.held.values())
        self._lines.clear()


__all__ = ["MOST", "Bounds"]
