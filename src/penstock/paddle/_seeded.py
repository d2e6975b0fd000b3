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
from penstock.state.records import Record, records
from penstock.trace.builder import Outcome
from penstock.trace.local import local, value_of
from penstock.trace.tensor import concrete

Make = Callable[..., Any]
"""Makes an array of words that it takes from an engine, and of further arguments."""


class _Sequence:
    """The words of the seed that was set, shared by all threads; None before one was."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Any = None
        self.seed = 0

    def draw(self, make: Make, arguments: tuple[Any, ...]) -> Any:
        with self.lock:
            assert self.engine is not None
            return make(self.engine, *arguments)


sequence = _Sequence()


def start(seed: int) -> None:
    """Starts the numbers of this process afresh, Paddle's and those of Penstock's own keys."""
    from penstock.paddle._twister import seeded

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


def _maker(name: str) -> Make:
    from penstock.paddle import _rejections, _variates

    found: Make = getattr(_variates, name, None) or getattr(_rejections, name)
    return found


def array(name: str, *arguments: Any, seed: int = 0) -> Any:
    """Returns what the function of `_variates` or `_rejections` makes of the next words, or of a seed's own.

    None where draws are not Paddle's: see `drawing`.
    """
    if seed and keys.source() is keys.generator:
        from penstock.paddle._twister import seeded_by_value

        return _maker(name)(seeded_by_value(seed), *arguments)
    return sequence.draw(_maker(name), arguments) if drawing() else None


class _Numbers(Fresh):
    """Numbers drawn in a recorded step, which each replay draws anew."""

    __slots__ = ("arguments", "make")
    make: Make
    arguments: tuple[Any, ...]

    def next(self) -> _Numbers:
        """Returns the numbers that come next in the sequence."""
        return _numbers(self.make, self.arguments)


def _numbers(make: Make, arguments: tuple[Any, ...]) -> _Numbers:
    value = sequence.draw(make, arguments)
    value.flags.writeable = False
    made = concrete(value, _Numbers)
    assert isinstance(made, _Numbers)
    made.make, made.arguments = make, arguments
    return made


def tensor(name: str, *arguments: Any, seed: int = 0) -> Any:
    """Returns what `array` makes as a tensor; None where that gives None."""
    if seed or not local.trace.capturing:
        found = array(name, *arguments, seed=seed)
        return None if found is None else data(found)
    return spoken(pointwise.identity(_numbers(_maker(name), arguments))) if drawing() else None


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
    from penstock.paddle._twister import ROUND, Twister

    words = np.array([int(text[i : i + 16], 16) for i in range(0, len(text), 16)], np.uint64)
    with sequence.lock:
        sequence.engine = Twister(words[1 : ROUND + 1], words[ROUND + 1 :]) if text else None
        sequence.seed = int(words[0]) if text else 0


def _is_noted(value: Any) -> bool:
    """Returns whether this is "", or a seed and the words of a state, perhaps more, in hexadecimal digits."""
    if not isinstance(value, str) or not set(value) <= set("0123456789abcdef"):
        return False
    return not value or (len(value) % 16 == 0 and len(value) >= 16 * 313)


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
