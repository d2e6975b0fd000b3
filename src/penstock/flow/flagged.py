"""Flags that a program sets on copies of variables, where nothing reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock.flow.observed import Variable
from penstock.flow.recording import Recording, recording_of
from penstock.tiers.commits import Commit
from penstock.trace.source_site import Site
from penstock.trace.tensor import Tensor

MOST = 64
"""How many copies with a flag are remembered."""


@dataclass(slots=True)
class _Copy:
    """A tensor at the time of its flag: its slot, and the open trace, or the recording that it is from.

    An update of the variable may give the tensor another value later, and so another slot.
    """

    site: Site | None
    tensor: Tensor
    slot: int
    trace: Any
    home: Recording | None


class Flagged:
    """The copies on which flags were set."""

    def __init__(self) -> None:
        self._copies: list[_Copy] = []

    def note(self, site: Site | None, tensor: Tensor) -> None:
        """Notes a flag."""
        if len(self._copies) < MOST:
            home = recording_of(tensor) if tensor._trace is None else None
            self._copies.append(_Copy(site, tensor, tensor._slot, tensor._trace, home))

    def passed(self, trace: Any, commit: Commit) -> None:
        """Notes that a trace has been run."""
        for one in self._copies:
            if one.home is None and one.trace is trace:
                one.home = Recording(commit)

    def told(self) -> Iterator[tuple[Site | None, Variable]]:
        """Yields the line of each flag on a copy that nothing reads, and the variable."""
        for one in self._copies:
            home = one.home or recording_of(one.tensor)
            if home is None or home.graph.users(one.slot):
                continue
            value = home.graph.values[one.slot]
            if any(look.value == value.number for look in home.graph.looks):
                continue
            # A clone has separate memory, and may be kept for a comparison.
            while value.variable is None and value.name == "stop_gradient" and value.inputs:
                value = home.graph.values[value.inputs[0]]
            if value.variable is not None:
                yield one.site, home.variables[value.variable]
        self._copies.clear()


__all__ = ["Flagged"]
