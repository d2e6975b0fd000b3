"""The memory budget for recordings and executables, and which are dropped first: see docs/decisions/0024."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, Protocol

from penstock.errors import PenstockError

VARIABLE = "PENSTOCK_CACHE"
DEFAULT = "1GiB"
UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
RECORDED_PART = 8
"""One byte in this many is for recordings, which are quickly remade; the rest is for executables."""
ROOM = 4
"""One byte in this many is freed beyond the limit, so that entries need not be dropped again at once."""
LOOK = 1 << 20
"""After this many new bytes, the budget checks whether to drop anything."""
NEVER = -1
"""The time of use of entries that can never be used again: they are dropped first, whatever the budget."""


class Kind(Protocol):
    """One kind of entry in the budget."""

    def weigh(self) -> Iterable[tuple[int, int, Any]]:
        """Yields the time of last use of each thing, its bytes, and itself; dependent things come first."""

    def drop(self, things: list[Any]) -> int:
        """Drops these things with everything known about them; returns the bytes that had to stay."""

    def wasted(self) -> int:
        """Returns about how many bytes belong to things that can never be used again."""


class Shelf:
    """Kinds of things that share one bound, `part` of the budget.

    `taken` is about how many bytes they take, and `looked` how many they took at the last check. Above `mark`
    bytes, some are dropped.
    """

    __slots__ = ("kinds", "looked", "mark", "part", "taken")

    def __init__(self, part: float) -> None:
        self.part = part
        self.kinds: list[Kind] = []
        """A kind whose things depend on another kind's comes before it."""
        self.taken = self.looked = self.mark = 0


class Budget:
    """How much may be kept, and when each thing was last used.

    `now` counts all things ever made; each thing notes it when it is used. `due` says that some may have to
    be dropped: code between two steps calls `tidy`.
    """

    __slots__ = ("compiled", "due", "limit", "now", "pressed", "recorded", "tidying")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.now = 0
        self.due = self.pressed = self.tidying = False
        self.recorded = Shelf(1 / RECORDED_PART)
        self.compiled = Shelf(1 - 1 / RECORDED_PART)

    def take(self, shelf: Shelf, size: int) -> None:
        """Notes that a thing of this many bytes was made and used just now."""
        self.now += 1
        shelf.taken += size
        if shelf.taken > shelf.looked + min(LOOK, self.bound(shelf) // ROOM):
            self.due = True

    def bound(self, shelf: Shelf) -> int:
        """Returns how many bytes the things of a shelf may have."""
        return int(shelf.part * self.limit)

    def press(self) -> None:
        """Asks to drop half of the executables: the system is short of something other than bytes."""
        self.pressed = self.due = True

    def clear(self) -> None:
        """Drops everything that is not in use."""
        self.now += 1
        for shelf in (self.recorded, self.compiled):
            self._drop(shelf, 0)
            shelf.looked, shelf.mark = shelf.taken, 0

    def tidy(self) -> None:
        """Drops the least recently used things of each shelf that exceeds its part."""
        if self.tidying:
            return
        self.tidying = True
        try:
            self.due = False
            for shelf in (self.recorded, self.compiled):
                bound = self.bound(shelf)
                if shelf is self.compiled and self.pressed:
                    self.pressed = False
                    shelf.mark, bound = 0, min(bound, shelf.taken * ROOM // (2 * ROOM - 2))
                wasted = sum(kind.wasted() for kind in shelf.kinds)
                if shelf.taken > max(shelf.mark, bound) or wasted > max(LOOK, shelf.taken // (2 * ROOM)):
                    self._drop(shelf, bound)
                    # Things in use stay, however large: another attempt right away would free nothing.
                    shelf.mark = shelf.taken + bound // ROOM if shelf.taken > bound else 0
                shelf.looked = shelf.taken
        finally:
            self.tidying = False

    def _drop(self, shelf: Shelf, bound: int) -> None:
        found = [
            (used, rank, size, thing)
            for rank, kind in enumerate(shelf.kinds)
            for used, size, thing in kind.weigh()
        ]
        # Equally old things stay in the order in which they were found.
        found.sort(key=lambda one: one[:2])
        taken = sum(size for _, _, size, _ in found)
        goal = bound - bound // ROOM if taken > bound else taken
        dropped: list[list[Any]] = [[] for _ in shelf.kinds]
        for used, rank, size, thing in found:
            if used >= self.now or (taken <= goal and used > NEVER):
                break
            dropped[rank].append(thing)
            taken -= size
        for kind, things in zip(shelf.kinds, dropped, strict=True):
            taken += kind.drop(things)
        shelf.taken = taken


MEMORY = "It limits the memory that Penstock may use for recorded and compiled programs."


def read_limit(text: str, variable: str = VARIABLE, why: str = MEMORY) -> int:
    """Returns the number of bytes in a text such as "512MiB". Raises PenstockError for any other."""
    found = re.fullmatch(r"\s*(\d+)\s*([KMG]iB|)\s*", text)
    if found is None:
        raise PenstockError(
            f"{variable} is {text!r}.",
            why=why,
            remedy=f"Set it to a number of bytes or of KiB, MiB or GiB, such as {DEFAULT}, or unset it.",
        )
    return int(found[1]) * UNITS[found[2]]


budget = Budget(read_limit(os.environ.get(VARIABLE, DEFAULT)))
