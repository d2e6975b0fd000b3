"""The memory budget for recordings and executables, and what is dropped first: see docs/decisions/0024."""

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
    """One kind of thing that is kept."""

    def weigh(self) -> Iterable[tuple[int, int, Any]]:
        """Yields the time of last use of each thing, its bytes, and itself; what rests on others first."""

    def drop(self, things: list[Any]) -> int:
        """Lets go of these things, all that is known of them; returns the bytes of what had to stay."""

    def wasted(self) -> int:
        """Returns about how many bytes belong to things that nothing can come back to."""


class Shelf:
    """Kinds of things with one bound, `part` of the budget.

    `taken` is about how many bytes they have, and `looked` how many they had when that was last looked at.
    From `mark` bytes on something is let go.
    """

    __slots__ = ("kinds", "looked", "mark", "part", "taken")

    def __init__(self, part: float) -> None:
        self.part = part
        self.kinds: list[Kind] = []
        """Those whose things rest on another kind's come before it."""
        self.taken = self.looked = self.mark = 0


class Budget:
    """What may be kept, and when each thing was last used.

    `now` counts the things that were ever made; a thing notes it when it is used. `due` says that something
    may have to be let go: code between two steps calls `tidy`.
    """

    __slots__ = ("compiled", "due", "limit", "now", "pressed", "recorded", "tidying")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.now = 0
        self.due = self.pressed = self.tidying = False
        self.recorded = Shelf(1 / RECORDED_PART)
        self.compiled = Shelf(1 - 1 / RECORDED_PART)

    def take(self, shelf: Shelf, size: int) -> None:
        """Notes that a thing of so many bytes is made, which is used now."""
        self.now += 1
        shelf.taken += size
        if shelf.taken > shelf.looked + min(LOOK, self.bound(shelf) // ROOM):
            self.due = True

    def bound(self, shelf: Shelf) -> int:
        """Returns how many bytes the things of a shelf may have."""
        return int(shelf.part * self.limit)

    def press(self) -> None:
        """Asks for half of what is compiled to be let go: the system is short of more than bytes."""
        self.pressed = self.due = True

    def clear(self) -> None:
        """Lets go of everything that is not in use."""
        self.now += 1
        for shelf in (self.recorded, self.compiled):
            self._drop(shelf, 0)
            shelf.looked, shelf.mark = shelf.taken, 0

    def tidy(self) -> None:
        """Lets go of the least recently used things of each shelf that has more than its part."""
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
                    # What is in use stays, however much it is: there is no sense in trying again at once.
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
