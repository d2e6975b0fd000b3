"""The seeded sequence of keys: each draw of random numbers depends on its key and on nothing else."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import numpy as np

from penstock.errors import PenstockError
from penstock.ops.validation import plain, shown
from penstock.state.records import Record, records
from penstock.trace.builder import Builder
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor, concrete

_WORD = 0xFFFFFFFF


class Fresh(Tensor):
    """A value drawn for a step: it enters the recording as an ordinary argument.

    So the numbers change from step to step and the program does not: a replay of a recorded step takes a new
    one for each with `next`.
    """

    __slots__ = ()

    def next(self) -> Fresh:
        """Returns the next draw."""
        raise NotImplementedError


class DrawKey(Fresh):
    """What one draw depends on: the seed and the draw's number, as uint32[3].

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> ps.random.key().next().numpy()
    array([0, 7, 1], dtype=uint32)
    """

    __slots__ = ()
    series: Fresh | None = None
    """The keys of all turns of the loop around the draw, where the key's source says which those are."""

    def next(self) -> DrawKey:
        """Returns the key of the next draw, as the functions of this module take it."""
        return key()


Kind = TypeVar("Kind", bound=DrawKey)


class _Generator:
    """A seed and the number of its next draw, shared by all threads: no two draws have one number."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.start(int.from_bytes(os.urandom(8), "little"))

    def start(self, seed: int) -> None:
        with self.lock:
            self.seed, self.number = seed, 0

    def take(self) -> tuple[int, int]:
        with self.lock:
            number = self.number
            self.number += 1
            # After 2 ** 32 draws the sequence continues with the next seed.
            return (self.seed + (number >> 32)) & (_WORD << 32 | _WORD), number & _WORD


generator = _Generator()


class Noted:
    """Takes keys from the sequence and notes them, so that they can be taken once more from the start."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []
        self.next = 0

    def take(self) -> tuple[int, int]:
        """Returns the next seed and number."""
        if self.next == len(self.taken):
            self.taken.append(generator.take())
        self.next += 1
        return self.taken[self.next - 1]


class _Source(threading.local):
    """What the keys of this thread's draws are taken from."""

    def __init__(self) -> None:
        self.own: Any = generator
        self.turns: int | None = None


_source = _Source()


@contextlib.contextmanager
def in_turns(count: int | None) -> Iterator[None]:
    """Says that draws inside are made once and run in this many turns of a loop; None changes nothing."""
    before = _source.turns
    _source.turns = before if count is None else count
    try:
        yield
    finally:
        _source.turns = before


def turns() -> int | None:
    """Returns in how many turns the next draw runs, if it is made for all turns of a loop."""
    return _source.turns


@contextlib.contextmanager
def taking_from(source: Any) -> Iterator[Any]:
    """Has this thread take its keys from `source` for the length of a `with` block."""
    before, _source.own = _source.own, source
    try:
        yield source
    finally:
        _source.own = before


def source() -> Any:
    """Returns the source of the keys of this thread's draws."""
    return _source.own


def aside() -> AbstractContextManager[Any]:
    """Returns a context whose draws do not advance the sequence: their numbers are never seen."""
    return taking_from(_Generator())


def _restore(noted: list[int]) -> None:
    generator.start(noted[0])
    generator.number = noted[1]


def _form() -> Any:
    from penstock.state.form import count, seed

    return seed, count


records["random"] = Record(lambda: [generator.seed, generator.number], _restore, _form)


def key() -> DrawKey:
    """Returns the key of the next draw.

    Returns:
        A key, uint32[3].

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> ps.random.key().numpy(), ps.random.key().numpy()
    (array([0, 7, 0], dtype=uint32), array([0, 7, 1], dtype=uint32))
    """
    # An expansion is recorded once: a key taken inside would give the same numbers forever.
    assert not isinstance(local.trace, Builder), "a function made of primitives must be given its key"
    seed, number = _source.own.take()
    kind: type[DrawKey] = getattr(_source.own, "kind", DrawKey)
    return of_words((seed >> 32, seed & _WORD, number), kind)


def of_words(words: Sequence[int], kind: type[Kind]) -> Kind:
    """Returns a key of a kind, made of 32-bit words."""
    value = np.asarray(words, np.uint32)
    value.flags.writeable = False
    made = concrete(value, kind)
    assert isinstance(made, kind)
    return made


def seed(number: int) -> None:
    """Seeds the random numbers of this process; `number` is an integer of 64 bits.

    Without it they differ from run to run. Threads share one sequence: which numbers a thread gets depends on
    which draws first.

    Args:
        number: an integer of 64 bits.

    Returns:
        None.

    Raises:
        PenstockError: if `number` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> first = ps.random.normal((2,))
    >>> ps.random.seed(7)
    >>> bool(ps.all(ps.random.normal((2,)) == first))
    True
    """
    number = plain(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 64:
        raise PenstockError(
            f"seed was given {shown(number)}.", site=here(), remedy="Give an integer from 0 to 2 ** 64 - 1."
        )
    generator.start(number)
