"""The numbers after `paddle.seed`: those of Paddle on a CPU, drawn on the host in the order of the calls.

A program that has set no seed draws from Penstock's own keys, and so does what is tried out, or recorded as
the body of a loop, where a sequence has no place: `drawing` says which.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from penstock.functions import keys
from penstock.functions.keys import Fresh
from penstock.ops import pointwise
from penstock.paddle._convert import data
from penstock.paddle._standing import standing
from penstock.paddle._tensor import Tensor
from penstock.paddle._twister import ROUND, Twister, seeded, seeded_by_value
from penstock.state.records import Record, records
from penstock.trace.builder import Outcome
from penstock.trace.local import local, value_of
from penstock.trace.tensor import concrete

Make = Callable[[Twister], np.ndarray[Any, np.dtype[Any]]]
"""Makes an array of the words that it takes."""


class _Sequence:
    """The words of the seed that was set, shared by all threads; None before one was."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Twister | None = None
        self.seed = 0

    def draw(self, make: Make) -> np.ndarray[Any, np.dtype[Any]]:
        with self.lock:
            assert self.engine is not None
            return make(self.engine)


sequence = _Sequence()


def start(seed: int) -> None:
    """Starts the numbers of this process afresh, Paddle's and those of Penstock's own keys."""
    keys.seed(seed)
    with sequence.lock:
        sequence.engine, sequence.seed = seeded(seed), seed


def seed() -> int:
    """Returns the seed that the numbers started from."""
    return sequence.seed if sequence.engine is not None else keys.generator.seed


def is_set() -> bool:
    """Returns whether the program has set a seed."""
    return sequence.engine is not None


def aside() -> contextlib.AbstractContextManager[Any]:
    """Returns a context whose draws are from Penstock's own keys where a seed was set, and leave it alone."""
    return keys.aside() if is_set() else contextlib.nullcontext()


def drawing() -> bool:
    """Returns whether draws are Paddle's here: a seed was set, and every draw has its place in one order."""
    return sequence.engine is not None and keys.source() is keys.generator and local.trace.nested is None


class _Fixed(threading.local):
    """The seed of the static program that runs, which its parameters and dropout draw from; 0 for none."""

    seed = 0


fixed = _Fixed()


@contextlib.contextmanager
def fixing(seed: int) -> Iterator[None]:
    """Has parameters and dropout draw from a program's own seed, unless it is 0, each from its start."""
    before, fixed.seed = fixed.seed, seed
    try:
        yield
    finally:
        fixed.seed = before


def array(make: Make, seed: int = 0) -> np.ndarray[Any, np.dtype[Any]] | None:
    """Returns what is made of the next words, or of those of an own seed; None if not `drawing`."""
    if seed and keys.source() is keys.generator:
        return make(seeded_by_value(seed))
    return sequence.draw(make) if drawing() else None


class _Numbers(Fresh):
    """Numbers drawn in a recorded step, which each replay draws anew."""

    __slots__ = ("make",)
    make: Make

    def next(self) -> _Numbers:
        """Returns the numbers that come next in the sequence."""
        return _numbers(self.make)


def _numbers(make: Make) -> _Numbers:
    value = sequence.draw(make)
    value.flags.writeable = False
    made = concrete(value, _Numbers)
    assert isinstance(made, _Numbers)
    made.make = make
    return made


def tensor(make: Make, seed: int = 0) -> Any:
    """Returns as a tensor what `array` gives; None where that gives None."""
    if seed or not local.trace.capturing:
        found = array(make, seed)
        return None if found is None else data(found)
    return spoken(pointwise.identity(_numbers(make))) if drawing() else None


def spoken(drawn: Any) -> Any:
    """Returns a native result as Paddle's."""
    standing()
    if drawn._trace is None:
        return concrete(value_of(drawn), Tensor)
    return drawn._trace.give(Outcome(drawn._slot, drawn._spec), Tensor)


# -- where the numbers stand -------------------------------------------------------------------------------


class State:
    """Where the numbers stand: those of Paddle's engine, if a seed was set, and those of Penstock's keys."""

    def __init__(self) -> None:
        with sequence.lock:
            self.engine = None if sequence.engine is None else sequence.engine.copy()
            self.seed = sequence.seed
        with keys.generator.lock:
            self.keys = keys.generator.seed, keys.generator.number

    def restore(self) -> None:
        """Goes back there."""
        with sequence.lock:
            sequence.engine = None if self.engine is None else self.engine.copy()
            sequence.seed = self.seed
        with keys.generator.lock:
            keys.generator.seed, keys.generator.number = self.keys


def _noted() -> str:
    """Returns where the engine stands as text; "" if no seed was set."""
    with sequence.lock:
        if sequence.engine is None:
            return ""
        return f"{sequence.seed:016x}" + "".join(f"{one:016x}" for one in sequence.engine.words())


def _restored(text: str) -> None:
    words = np.array([int(text[i : i + 16], 16) for i in range(0, len(text), 16)], np.uint64)
    with sequence.lock:
        sequence.engine = Twister(words[1 : ROUND + 1], words[ROUND + 1 :]) if text else None
        sequence.seed = int(words[0]) if text else 0


def _is_noted(value: Any) -> bool:
    return isinstance(value, str) and (
        not value
        or (len(value) % 16 == 0 and len(value) > 16 * ROUND and set(value) <= set("0123456789abcdef"))
    )


records["random numbers of paddle"] = Record(_noted, _restored, lambda: _is_noted)

__all__ = [
    "Make",
    "State",
    "array",
    "aside",
    "drawing",
    "fixed",
    "fixing",
    "is_set",
    "seed",
    "sequence",
    "spoken",
    "start",
    "tensor",
]
