"""Parameters that modules had in common, and what became of that."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.trace.site import Site

if TYPE_CHECKING:
    from penstock.frameworks.torch.parameter import Parameter

Slot = tuple[weakref.ref[Any], str]
"""A reference to a module, and the name that a parameter has in it."""


@dataclass(slots=True, eq=False)
class _Tie:
    """A parameter, the slots that had it, and what each of them has got since, with the line."""

    tensor: weakref.ref[Any]
    slots: dict[Slot, tuple[Site | None, Parameter] | None] = field(default_factory=dict)


class Ties:
    """The slots of each parameter."""

    def __init__(self) -> None:
        self._ties: dict[int, _Tie] = {}
        self._of: dict[Slot, _Tie] = {}

    def put(
        self, module: Any, name: str, tensor: Any, of: Callable[[Any], Parameter], site: Site | None
    ) -> None:
        """Notes that a module has a parameter under a name from here on; `of` knows what is noted of it."""
        slot = weakref.ref(module), name
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

    def is_held(self, tensor: Any, module: Any, name: str) -> bool:
        """Returns whether another slot than this one has a parameter."""
        tie = self._ties.get(id(tensor))
        return (
            tie is not None
            and tie.tensor() is tensor
            and any(
                (owner := reference()) is not None
                and owner._parameters.get(own) is tensor
                and (owner is not module or own != name)
                for reference, own in tie.slots
            )
        )

    def broken(self) -> Iterator[list[tuple[Site | None, Parameter]]]:
        """Yields, for each parameter that all of its slots have lost, what each has now."""
        for tie in dict.fromkeys(self._of.values()):
            now = [one for one in tie.slots.values() if one is not None]
            if len(now) == len(tie.slots) > 1 and len({one.uid for _, one in now}) == len(now):
                yield sorted(now, key=lambda one: one[1].uid)


__all__ = ["Ties"]
