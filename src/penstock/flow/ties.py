"""Variables shared by layers, and whether they are still shared."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from penstock.flow.observed import Variable
from penstock.trace.source_site import Site

Kind = TypeVar("Kind", bound=Variable)

Slot = tuple[weakref.ref[Any], str]
"""A reference to a layer, and a variable's name in it."""


@dataclass(slots=True, eq=False)
class _Tie(Generic[Kind]):
    """A variable, the slots that had it, and the variable that each of them has got since, with the line."""

    tensor: weakref.ref[Any]
    slots: dict[Slot, tuple[Site | None, Kind] | None] = field(default_factory=dict)


class Ties(Generic[Kind]):
    """The slots of each variable."""

    def __init__(self) -> None:
        self._ties: dict[int, _Tie[Kind]] = {}
        self._of: dict[Slot, _Tie[Kind]] = {}

    def put(self, layer: Any, name: str, tensor: Any, of: Callable[[Any], Kind], site: Site | None) -> None:
        """Notes that a layer has a variable under a name from now on; `of` turns it into that of a report."""
        slot = weakref.ref(layer), name
        before = self._of.get(slot)
        if before is not None and len(before.slots) > 1:
            before.slots[slot] = None if before.tensor() is tensor else (site, of(tensor))
            return
        tie = self._ties.get(id(tensor))
        if tie is None or tie.tensor() is not tensor:
            tie = self._ties[id(tensor)] = _Tie(weakref.ref(tensor))
        if before is not None:
            before.slots.pop(slot, None)
        tie.slots[slot] = None
        self._of[slot] = tie

    def broken(self) -> Iterator[list[tuple[Site | None, Kind]]]:
        """Yields, for each variable that all of its slots have lost, the present variables of the slots."""
        for tie in dict.fromkeys(self._of.values()):
            now = [one for one in tie.slots.values() if one is not None]
            if len(now) == len(tie.slots) > 1 and len({one.uid for _, one in now}) == len(now):
                yield sorted(now, key=lambda one: one[1].uid)


__all__ = ["Ties"]
