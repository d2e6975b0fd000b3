"""Random numbers from one seeded generator: the same in both tiers, and never a reason to compile again."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import DTypeError, PenstockError
from penstock.ops import pointwise
from penstock.ops import random as draws
from penstock.ops.table import Primitive, cast
from penstock.state.records import records
from penstock.trace.recorder import Builder, local
from penstock.trace.site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor, concrete

_frame = sys._getframe
_WORD = 0xFFFFFFFF


class DrawKey(Tensor):
    """What one draw depends on: the seed and the draw's number, as uint32[3].

    A key enters the record as an ordinary argument, so the numbers change from step to step and the program
    does not. Whoever replays a recorded step makes a fresh key for each one by `next`.

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> ps.random.key().next().numpy()
    array([0, 7, 1], dtype=uint32)
    """

    __slots__ = ()

    def next(self) -> DrawKey:
        """Returns the key of the next draw, as the functions of this module take it."""
        return key()


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
            # After 2 ** 32 draws the numbers go on under the next seed.
            return (self.seed + (number >> 32)) & (_WORD << 32 | _WORD), number & _WORD


_generator = _Generator()


def _restore(noted: list[int]) -> None:
    _generator.start(noted[0])
    _generator.number = noted[1]


records["random"] = (lambda: [_generator.seed, _generator.number], _restore)


def key() -> DrawKey:
    """Returns the key of the next draw.

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> ps.random.key().numpy(), ps.random.key().numpy()
    (array([0, 7, 0], dtype=uint32), array([0, 7, 1], dtype=uint32))
    """
    # An expansion is recorded once: a key taken inside would give the same numbers for ever.
    assert not isinstance(local.trace, Builder), "a function made of primitives must be given its key"
    seed, number = _generator.take()
    value = np.asarray([seed >> 32, seed & _WORD, number], np.uint32)
    value.flags.writeable = False
    made = concrete(value, DrawKey)
    assert isinstance(made, DrawKey)
    return made


def seed(number: int) -> None:
    """Starts the random numbers of this process afresh; `number` (an integer, 64 bits) decides them all.

    Without it they differ from run to run. Threads share one sequence: which thread draws first decides who
    gets which numbers.

    >>> import penstock as ps
    >>> ps.random.seed(7)
    >>> first = ps.random.normal((2,))
    >>> ps.random.seed(7)
    >>> bool(ps.all(ps.random.normal((2,)) == first))
    True
    """
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < 1 << 64:
        raise PenstockError(
            f"seed was given {number!r}.", site=here(), remedy="Give an integer from 0 to 2 ** 64 - 1."
        )
    _generator.start(int(number))


def normal(
    shape: int | Sequence[int] = (), mean: Any = 0.0, stddev: Any = 1.0, *, dtype: Any = np.float32
) -> Tensor:
    """Returns draws from the normal distribution; `mean` and `stddev` broadcast, and gradients reach them.

    Draws are the same in both tiers: float64 to a rounding, narrower ones bit for bit, but for perhaps one in
    a hundred million that lies between two float32 numbers.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> x = ps.random.normal((1000,), mean=5.0, stddev=0.1)
    >>> round(float(ps.mean(x)), 2)
    5.0
    """
    return _scaled(draws.random_normal, shape, mean, stddev, dtype, _frame(1))


def truncated_normal(
    shape: int | Sequence[int] = (), mean: Any = 0.0, stddev: Any = 1.0, *, dtype: Any = np.float32
) -> Tensor:
    """Returns draws from the normal distribution between two standard deviations below and above the mean.

    `stddev` is that of the distribution before it is cut: what is left has 0.88 of it.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> bool(ps.max(ps.abs(ps.random.truncated_normal((1000,)))) <= 2.0)
    True
    """
    return _scaled(draws.random_truncated_normal, shape, mean, stddev, dtype, _frame(1))


def uniform(
    shape: int | Sequence[int] = (), low: Any = 0.0, high: Any = 1.0, *, dtype: Any = np.float32
) -> Tensor:
    """Returns draws between `low`, included, and `high`, which only a rounding can reach.

    From 0 to 1, the default, draws are whole multiples of the dtype's smallest step below 1, and never 1.

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> x = ps.random.uniform((1000,), -1.0, 1.0)
    >>> bool(ps.all((x >= -1.0) & (x < 1.0)))
    True
    """
    width = high - low
    return _scaled(draws.random_uniform, shape, low, width, dtype, _frame(1))


def integers(shape: int | Sequence[int], low: int, high: int, *, dtype: Any = np.int64) -> Tensor:
    """Returns integers from `low`, included, to `high`, not included, each as likely as the others.

    (The remainder of 64 random bits: the likelihoods differ by less than (high - low) / 2 ** 64.)

    >>> import penstock as ps
    >>> ps.random.seed(0)
    >>> dice = ps.random.integers((1000,), 1, 7)
    >>> int(ps.min(dice)), int(ps.max(dice))
    (1, 6)
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        raise DTypeError(
            f"integers was asked for {dtype.name}.", site=here(), remedy="Use uniform for fractions."
        )
    limits = np.iinfo(dtype)
    if not limits.min <= low < high <= int(limits.max) + 1:
        raise PenstockError(
            f"integers was given the range {low} to {high}, for {dtype.name}.",
            why=f"The range must hold a number, and lie within {limits.min} .. {limits.max}.",
            site=here(),
        )
    frame = _frame(1)
    bits = draws.random_bits.record((key(),), {"shape": _lengths(shape), "dtype": np.dtype(np.uint64)}, frame)
    if high - low < 1 << 64:
        bits = pointwise.remainder.record((bits, int(high - low)), {}, frame)
    # Bits above those of the dtype fall off, here and in the sum, so that it comes out right for every range.
    return pointwise.add.record((cast.record((bits,), {"dtype": dtype}, frame), int(low)), {}, frame)


def _scaled(primitive: Primitive, shape: Any, offset: Any, scale: Any, dtype: Any, frame: Any) -> Tensor:
    dtype = np.dtype(dtype)
    if dtype.kind not in "fV":
        raise DTypeError(
            f"{primitive.name.removeprefix('random_')} was asked for {dtype.name}.",
            site=here(),
            remedy="Draw floating-point numbers, and convert them with astype.",
        )
    drawn = primitive.record((key(),), {"shape": _lengths(shape), "dtype": dtype}, frame)
    if not (type(scale) in (int, float) and scale == 1):
        drawn = pointwise.multiply.record((drawn, scale), {}, frame)
    if not (type(offset) in (int, float) and offset == 0):
        drawn = pointwise.add.record((drawn, offset), {}, frame)
    return drawn


def _lengths(shape: int | Sequence[int]) -> Shape:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(n) for n in shape)


__all__ = ["DrawKey", "integers", "key", "normal", "seed", "truncated_normal", "uniform"]
