"""Copies on an accelerator of data that recurs in each step of a program: masks, ranges, zeros."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

SMALL = 1 << 16
"""The most bytes of data whose copy is found by its content. Sending as many to a GPU takes about 0.1 ms,
three times as long as comparing them."""
ENTRIES = 256
"""How many of these copies are kept: those used last."""


class Uploads:
    """Finds the copy on the device of data that was sent before.

    A program that writes `ps.arange(n)` in its step makes new data with the same content each time. Sending
    it again costs as much as a dozen operations on the device, and a guard that must read it waits for all of
    them. Small data is found by shape, dtype and content; large data, by the array itself while that lives.
    No copy is ever overwritten, since it has a holder here. The caller holds the engine's lock.

    >>> uploads, mask = Uploads(), np.tri(3, dtype=bool)
    >>> first = uploads.copy(mask, np.copy)
    >>> uploads.copy(np.tri(3, dtype=bool), np.copy) is first, uploads.copy(~mask, np.copy) is first
    (True, False)
    """

    def __init__(self) -> None:
        self._by_content: OrderedDict[Any, Any] = OrderedDict()
        self._by_array: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def copy(self, value: np.ndarray[Any, Any], send: Callable[[Any], Any]) -> Any:
        """Returns the copy of read-only data, made by `send` if there is none."""
        if value.nbytes > SMALL:
            return self._of_array(value, send)
        key = value.shape, value.dtype, value.tobytes()
        found = self._by_content.get(key)
        if found is None:
            found = self._by_content[key] = send(value)
            if len(self._by_content) > ENTRIES:
                self._by_content.popitem(last=False)
        else:
            self._by_content.move_to_end(key)
        return found

    def _of_array(self, value: np.ndarray[Any, Any], send: Callable[[Any], Any]) -> Any:
        number, copies = id(value), self._by_array
        known = copies.get(number)
        if known is not None and known[0]() is value:
            return known[1]
        found = send(value)
        copies[number] = weakref.ref(value, lambda _: copies.pop(number, None)), found
        return found


uploads = Uploads()

__all__ = ["Uploads", "uploads"]
