"""Parameters that modules had in common, and what became of that."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock.trace.site import Site

Slot = tuple[Any, str]
"""A reference to a module, and the name that a parameter has in it."""


@dataclass(slots=True)
class _Tie:
    """A parameter, the slots that have it, and what took its place in those that have lost it."""

    tensor: weakref.ref[Any]
    slots: list[Slot]
    lost: list[tuple[Slot, Site | None]]


class Ties:
    """The slots of each parameter."""

    def __init__(self) -> None:
        self._ties: dict[int, _Tie] = {}
        self._broken: list[_Tie] = []

    def put(self, module: Any, name: str, tensor: Any) -> None:
        """Notes that a module has a parameter under a name."""
        tie = self._ties.get(id(tensor))
        if tie is None or tie.tensor() is not tensor:
            tie = self._ties[id(tensor)] = _Tie(weakref.ref(tensor), [], [])
        slot = weakref.ref(module), name
        if slot not in tie.slots:
            tie.slots.append(slot)

    def replaced(self, module: Any, name: str, tensor: Any, site: Site | None) -> None:
        """Notes that something else has taken the place of a parameter."""
        tie = self._ties.get(id(tensor))
        slot = weakref.ref(module), name
        if tie is not None and len(tie.slots) > 1 and slot in tie.slots:
            tie.lost.append((slot, site))
            if len(tie.lost) == len(tie.slots):
                self._broken.append(tie)

    def broken(self) -> Iterator[tuple[list[Any], list[Site | None]]]:
        """Yields, for each parameter that all of its slots have lost, what they have now, and the lines."""
        for tie in self._broken:
            now = [
                owner._parameters.get(name)
                for (module, name), _ in tie.lost
                if (owner := module()) is not None
            ]
            if len(now) == len(tie.lost) and len({id(one) for one in now}) == len(now) and all(one is not None for one in now):
                yield now, [site for _, site in tie.lost]
        self._broken.clear()


__all__ = ["Ties"]
