"""Seeds of single operations: with the global seed, each decides a sequence of numbers of its own.

Without either, numbers differ from run to run; with the global seed alone they come from the one sequence
that it starts. With a seed of its own, an operation has its own sequence, which that seed and the global one
(or, without it, a fixed number) decide together. In an eager program, operations of one kind and seed go on
with one sequence, and `tf.random.set_seed` starts all of them afresh; in a graph, every operation has its
own, which begins in each session.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.functions import keys
from penstock.functions.scratch import Scratch
from penstock.functions.streams import Stream
from penstock.ops.validation import plain
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.local import local
from penstock.trace.source_site import here

UNSET = 87654321
"""What TensorFlow takes in place of a global seed that was not set."""


class Draws:
    """The sequences of operations with seeds of their own, and the global seed that they depend on."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = UNSET if seed is None else seed
        self.streams: dict[Any, Stream] = {}
        self._lock = threading.Lock()

    def start(self, seed: int) -> None:
        """Starts every sequence afresh, under this global seed."""
        with self._lock:
            self.seed = seed
            self.streams.clear()

    def stream(self, place: Any, seed: int) -> Stream:
        """Returns the sequence of the operation at a place."""
        with self._lock:
            found = self.streams.get((place, seed))
            if found is None:
                found = self.streams[place, seed] = Stream(mixed(self.seed, seed))
            return found

    def noted(self) -> dict[Any, int]:
        """Returns how far every sequence is."""
        return {place: stream.drawn for place, stream in self.streams.items()}

    def restore(self, noted: dict[Any, int]) -> None:
        """Takes every sequence back to where it was."""
        for place, stream in self.streams.items():
            stream.drawn = noted.get(place, 0)


def mixed(first: int, second: int) -> int:
    """Returns a seed of 64 bits that depends on two numbers."""
    words = [number & 0xFFFFFFFFFFFFFFFF for number in (first, second)]
    high, low = np.random.SeedSequence(words).generate_state(2, np.uint32)
    return int(high) << 32 | int(low)


class _Scope(threading.local):
    """Whose sequences the draws of this thread take: a session's, while it runs an operation."""

    draws: Draws | None = None
    place: Any = None


_eager = Draws()
_scope = _Scope()


def start(seed: int) -> None:
    """Starts all numbers of the process afresh: `seed` is the global seed."""
    keys.seed(seed)
    _eager.start(seed)


@contextlib.contextmanager
def of_operation(draws: Draws, operation: Any) -> Iterator[None]:
    """Has what is drawn inside belong to one operation of a graph."""
    before = _scope.draws, _scope.place
    _scope.draws, _scope.place = draws, operation
    try:
        yield
    finally:
        _scope.draws, _scope.place = before


def key_of(seed: Any, *kind: Any) -> Any:
    """Returns the key of the next draw of an operation with this seed; None, for the common one, without.

    `kind` is what tells operations of an eager program apart. Raises ArgumentError for a seed that is not a
    whole number.
    """
    if seed is None:
        return None
    number = plain(seed)
    if isinstance(number, bool) or not isinstance(number, int):
        raise ArgumentError(
            f"seed is {seed!r}.",
            remedy="Give a whole number, or none: seed=7.",
            site=here(),
        )
    if isinstance(local.trace, Scratch):
        # Only shapes are worked out here.
        return Stream(number).key()
    if _scope.draws is None:
        return _eager.stream(kind, number).key()
    return _scope.draws.stream((_scope.place, kind), number).key()
