"""Keys of Philox: what one draw depends on, and where the key of the next one comes from."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from penstock.functions import keys
from penstock.functions.keys import DrawKey, Fresh, of_words
from penstock.ops import philox
from penstock.trace.tensor import concrete

_WORD = 0xFFFFFFFF
_drawing = threading.Lock()
"""Held while a source counts a draw. It belongs to all sources together, so that each can be copied."""


class PhiloxKey(DrawKey):
    """A counter and a key, uint32[6], see `penstock.ops.philox`; it knows where the next one comes from."""

    __slots__ = ("blocks", "series", "source")
    source: Any
    blocks: int | None

    def next(self) -> DrawKey:
        """Returns the key of the source's next draw, which is as long as this one's."""
        if self.blocks is None:
            return self.source.key()  # type: ignore[no-any-return]
        return self.source.key(self.blocks)  # type: ignore[no-any-return]


def key_of_words(words: Any, source: Any, blocks: int | None = None) -> PhiloxKey:
    """Returns a key of six words."""
    made = of_words(words, PhiloxKey)
    made.source, made.blocks, made.series = source, blocks, None
    return made


class PhiloxKeys(Fresh):
    """The keys of one draw in all turns of a loop, uint32[turns, 6]."""

    __slots__ = ("blocks", "source")
    source: Counting
    blocks: int

    def next(self) -> PhiloxKeys:
        """Returns the keys of the source's next draws, as many and as long as these."""
        return self.source.keys(self.blocks, self.shape[0])


class Counting:
    """A source whose draws lie one after another: each begins at the block where the one before ended."""

    def __init__(self, first: int, second: int) -> None:
        self.seed, self.second, self.drawn = first, second, 0

    def key(self, blocks: int) -> PhiloxKey:
        """Returns the key of the next draw, which gets this many blocks, or these in each turn of a loop."""
        turns = keys.turns()
        if turns is None:
            return key_of_words(self._words(self._reserved(blocks)), self, blocks)
        series = self.keys(blocks, turns)
        made = key_of_words(series._value[0], self, blocks)
        made.series = series
        return made

    def keys(self, blocks: int, turns: int) -> PhiloxKeys:
        """Returns the keys of the next draws, each of which gets this many blocks."""
        start = self._reserved(blocks * turns)
        words = [self._words(start + blocks * turn) for turn in range(turns)]
        made = concrete(np.asarray(words, np.uint32), PhiloxKeys)
        assert isinstance(made, PhiloxKeys)
        made._value.flags.writeable = False
        made.source, made.blocks = self, blocks
        return made

    def _reserved(self, blocks: int) -> int:
        """Returns the first of the next blocks, which belong to the caller."""
        with _drawing:
            start, self.drawn = self.drawn, self.drawn + blocks
        return start

    def _words(self, start: int) -> tuple[int, ...]:
        # The second seed is the upper half of the counter.
        high = self.second + (start >> 64)
        counter = (start & _WORD, start >> 32 & _WORD, high & _WORD, high >> 32 & _WORD)
        return (*counter, self.seed & _WORD, self.seed >> 32 & _WORD)


class Seeded:
    """A source that makes the key of each draw of a seed and of the number of the draw."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = seed, 0

    def take(self) -> tuple[int, int]:
        """Returns the next seed, two whole numbers."""
        with _drawing:
            taken = self.seed, self.drawn
            self.drawn += 1
        return taken

    def key(self) -> PhiloxKey:
        """Returns the key of the next draw."""
        return key_of_words(philox.mixed(*self.take()), self)


class Repeated:
    """A source whose draws are all the same, as those of an operation of a graph that nothing moves on."""

    def __init__(self, words: Any) -> None:
        self.words = words

    def key(self) -> PhiloxKey:
        """Returns its only key."""
        return key_of_words(self.words, self)


class _Common:
    """The sequence of the process, which nothing has seeded: each draw has a counter of its own."""

    def key(self) -> PhiloxKey:
        """Returns the key of the next draw."""
        source = keys.source()
        seed, number = source.take()
        words = (0, 0, number, 0, seed & _WORD, seed >> 32)
        # A source that gives its keys again at each run says so by their kind.
        return key_of_words(words, Repeated(words) if hasattr(source, "kind") else self)


common = _Common()

__all__ = ["Counting", "PhiloxKey", "PhiloxKeys", "Repeated", "Seeded", "common", "key_of_words"]
