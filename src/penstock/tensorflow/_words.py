"""Random words on the host, one after another: what data sets and the order of examples are drawn with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.functions import keys
from penstock.functions.philox_keys import Counting
from penstock.ops import philox
from penstock.tensorflow._seeds import pair_of, seeds_of

_BLOCKS = 16


class Words:
    """The words of 32 bits that two seeds start."""

    def __init__(self, first: int, second: int) -> None:
        self._blocks = Counting(first, second)
        self._ready: list[int] = []

    def next(self) -> int:
        """Returns the next word."""
        if not self._ready:
            key = self._blocks.key(_BLOCKS)._value
            with np.errstate(over="ignore"):
                found = philox.philox_bits.numpy(key, shape=(4 * _BLOCKS,), dtype=np.dtype(np.uint32))
            self._ready = found[::-1].tolist()
        return self._ready.pop()


def fraction_of(first: int, second: int) -> float:
    """Returns the first number from 0 to 1 of a seed of two whole numbers."""
    words = philox.mixed(first, second)
    counter = sum(word << 32 * place for place, word in enumerate(words[:4]))
    high, low, _, _ = philox.block_of(counter, words[4] | words[5] << 32)
    return ((high & 0xFFFFF) << 32 | low) * 2.0**-52


def some_seeds() -> tuple[int, int]:
    """Returns two seeds of the sequence of the process, for what nothing has seeded."""
    seed, number = keys.source().take()
    return seed & (1 << 63) - 1, number + 1


class Orders:
    """The orders that one operation gives, one after another; without seeds they differ from run to run."""

    def __init__(self, seeds: tuple[int, int] | None) -> None:
        self._blocks = Counting(*(seeds or some_seeds()))

    @classmethod
    def in_function(cls, seed: int | None) -> Orders:
        """Returns the orders of the first operation in a data set's function, in one pass."""
        return cls(pair_of(seed, None, lambda: 0))

    def next(self, count: int) -> Any:
        """Returns 0 to count - 1 in random order."""
        key = self._blocks.key(-(-(count - 1) // 4))._value
        return philox.philox_permutation.numpy(key, length=count)


class Seeds:
    """The seeds of a data set, and those that each of its iterators begins with.

    They are settled when the data set is made. With `anew` each iterator has others, which the words of the
    data set's own seeds give.
    """

    def __init__(self, seed: Any, anew: bool) -> None:
        self.pair = seeds_of(seed) or some_seeds()
        self._words = Words(*self.pair) if anew else None

    def next(self) -> Words:
        """Returns the words of the next iterator."""
        if self._words is None:
            return Words(*self.pair)
        first = self._words.next()
        return Words(first, self._words.next())


def shuffled(elements: Iterator[Any], size: int, words: Words) -> Iterator[Any]:
    """Yields elements in random order: each is drawn from a buffer, which is kept full."""
    buffer = list(itertools.islice(elements, size))
    first = 0
    while first < len(buffer):
        place = first + words.next() % (len(buffer) - first)
        chosen, buffer[place] = buffer[place], buffer[first]
        buffer[first] = None
        first += 1
        yield chosen
        buffer += itertools.islice(elements, 1)
        if first > 1000 and first > len(buffer) // 2:
            del buffer[:first]
            first = 0


__all__ = ["Orders", "Seeds", "Words", "fraction_of", "shuffled", "some_seeds"]
