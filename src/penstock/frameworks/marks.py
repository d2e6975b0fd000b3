"""Marks by which numbers and arrays that left a record are recognized when they come back as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

LIKELY = (0.0, 1.0, -1.0, 0.5, 2.0)
"""Numbers that say nothing about where they come from."""
MOST = 1 << 16
"""How many elements of an array are compared."""


class Marks:
    """What looks have given to the program, by their numbers.

    With `contents`, arrays are also recognized by their elements: where they are copied as they come in.
    """

    def __init__(self, contents: bool = False) -> None:
        self._contents = contents
        self._looked: dict[Any, list[int]] = {}
        self._kept: list[Any] = []

    def __bool__(self) -> bool:
        return bool(self._looked)

    def note(self, gave: Any, look: int) -> None:
        """Notes what a look has given."""
        for key in marks(gave, self._contents):
            self._looked.setdefault(key, []).append(look)
        if not isinstance(gave, bool | int | float | complex | list | str):
            # As long as it is kept, no other array takes its memory.
            self._kept.append(gave)

    def at(self, address: int) -> tuple[int, ...]:
        """Returns the looks that have given the array at an address."""
        return tuple(self._looked.get(("memory", address), ()))

    def origins_of(self, thing: Any) -> tuple[int, ...]:
        """Returns the looks from which a number, a list of numbers or an array is known to come."""
        if not self._looked:
            return ()
        found: dict[int, None] = {}
        for key in marks(thing, self._contents):
            found.update(dict.fromkeys(self._looked.get(key, ())))
        return tuple(found)


def marks(thing: Any, contents: bool = False) -> Iterator[Any]:
    """Yields keys that may identify a number or an array when it comes back."""
    if isinstance(thing, bool):
        return
    if isinstance(thing, float):
        if thing not in LIKELY and thing == thing:
            yield "number", thing
    elif isinstance(thing, list | tuple):
        for one in thing[:64]:
            yield from marks(one, contents)
    elif isinstance(thing, np.generic):
        # A number of NumPy's has no memory that lasts.
        yield from marks(float(thing)) if thing.dtype.kind == "f" else ()
    elif hasattr(thing, "__array_interface__"):
        yield "memory", thing.__array_interface__["data"][0]
        if getattr(thing, "ndim", 1) == 0 or getattr(thing, "size", 2) == 1:
            yield from marks(float(thing.item()) if thing.dtype.kind == "f" else 0)
        elif contents and thing.dtype.kind in "fc" and 1 < thing.size <= MOST and thing.any():
            yield "contents", thing.shape, hash(thing.tobytes())


__all__ = ["Marks", "marks"]
