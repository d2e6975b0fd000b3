"""Random primitives: counter-based, so that a key and a position alone determine a number, in both tiers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.ops import philox
from penstock.ops.table import Primitive
from penstock.trace.spec import Shape, Spec, spec

# Threefry-2x32 with 20 rounds: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
# SC 2011. Keys are uint32[3]: the two halves of the seed, and the number of the draw.
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
BLOCK = 1 << 15
"""How many words NumPy computes together, so that they stay in the CPU's cache."""


def _threefry(xp: Any, key: Any, size: int) -> tuple[Any, Any]:
    """Returns two arrays of `size` random 32-bit words; of several keys, those of each in a row."""
    if xp is not np or size <= BLOCK:
        return _words(xp, key, 0, size)
    a, b = (np.empty((*key.shape[:-1], size), np.uint32) for _ in range(2))
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        a[..., start:end], b[..., start:end] = _words(np, key, start, end)
    return a, b


def _words(xp: Any, key: Any, start: int, end: int) -> tuple[Any, Any]:
    """Returns the words of the positions from `start` to before `end`."""
    word = np.uint32
    first, second = key[..., 0:1], key[..., 1:2]
    schedule = (first, second, first ^ second ^ word(_PARITY))
    a = xp.arange(start, end, dtype=word) + schedule[0]
    b = xp.zeros_like(a) + (key[..., 2:3] + schedule[1])
    return _rounds(a, b, schedule)


def _rounds(a: Any, b: Any, schedule: tuple[Any, Any, Any]) -> tuple[Any, Any]:
    """Returns two words after the twenty rounds of Threefry, with the schedule of a key.

    NumPy overwrites its two arrays, which takes two thirds of the time.
    """
    word = np.uint32
    for block in range(5):
        for distance in _ROTATIONS[block % 2]:
            a += b
            low = b >> word(32 - distance)
            b <<= word(distance)
            b |= low
            b ^= a
        a += schedule[(block + 1) % 3]
        b += schedule[(block + 2) % 3]
        b += word(block + 1)
    return a, b


def _unit(a: Any, b: Any) -> Any:
    """Returns float64 values in 0 (included) .. 1 (excluded) with 53 random bits."""
    high = (a >> np.uint32(5)).astype(np.float64) * 67108864.0
    return (high + (b >> np.uint32(6)).astype(np.float64)) / 9007199254740992.0


def _uniform(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    # As many random bits as the dtype holds: rounding 53 of them to fewer would now and then give 1.
    if dtype == np.float64:
        return _unit(a, b)
    bits = 24 if dtype == np.float32 else 11 if dtype == np.float16 else 8
    return (a >> np.uint32(32 - bits)).astype(np.float32) * np.float32(2.0**-bits)


def _bits(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    return (a.astype(np.uint64) << np.uint64(32)) | b.astype(np.uint64)


# The distributions below are computed in float64 and rounded at the end: the tiers' last-place differences in
# logarithms and cosines then vanish, and narrower draws are the same in both.


def _normal(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    # Box and Muller, 1958; the first word is kept away from zero.
    radius = xp.sqrt(-2.0 * xp.log((a.astype(np.float64) + 1.0) / 4294967296.0))
    return radius * xp.cos(b.astype(np.float64) * (2.0 * math.pi / 4294967296.0))


# Quantiles of the normal distribution: P. J. Acklam's rational approximation, relative error below 1.15e-9.
_CENTER = (
    (-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
     2.506628277459239),
    (-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1.0),
)  # fmt: skip
_TAIL = (
    (-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
     2.938163982698783),
    (0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1.0),
)  # fmt: skip
_LOW = 0.022750131948179195
"""The probability of a normal value below -2."""


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Any) -> Any:
    """Returns the quotient of two polynomials in x, highest powers first."""
    above, below = (functools.reduce(lambda value, one: value * x + one, each) for each in coefficients)
    return above / below


def normal_quantile(xp: Any, p: Any) -> Any:
    """Returns Acklam's approximation of the value below which a normal number lies with probability p."""
    q = p - 0.5
    center = q * _ratio(_CENTER, q * q)
    nearer = xp.minimum(p, 1.0 - p)
    tail = _ratio(_TAIL, xp.sqrt(-2.0 * xp.log(nearer)))
    return xp.where(nearer < 0.02425, xp.where(p < 0.5, tail, -tail), center)


def _truncated_normal(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    value = normal_quantile(xp, _LOW + (1.0 - 2.0 * _LOW) * _unit(a, b))
    return xp.minimum(xp.maximum(value, -2.0), 2.0)


def rounded(values: Any, dtype: Any) -> Any:
    # In two steps to a two-byte dtype: XLA takes the step between, and the tiers shall agree.
    return values.astype(np.float32).astype(dtype) if dtype.itemsize < 4 else values.astype(dtype)


def draw(name: str, distribution: Callable[..., Any], *dtypes: Any) -> Primitive:
    def shaped(key: Spec, shape: Shape, dtype: Any) -> Spec:
        assert is_key(key), key
        return spec((*key.shape[:-1], *shape), dtype)

    def part(key: Any, start: int, end: int, dtype: Any) -> Any:
        with np.errstate(over="ignore"):
            a, b = _words(np, key, start, end)
        return rounded(distribution(np, a, b, dtype), dtype)

    def numpy(key: Any, shape: Shape, dtype: Any) -> Any:
        size = math.prod(shape)
        if size <= BLOCK:
            return part(key, 0, size, dtype).reshape((*key.shape[:-1], *shape))
        # All that a block of words goes through stays in the cache and takes little memory.
        values = np.empty((*key.shape[:-1], size), dtype)
        for start in range(0, size, BLOCK):
            end = min(start + BLOCK, size)
            values[..., start:end] = part(key, start, end, dtype)
        return values.reshape((*key.shape[:-1], *shape))

    def xla(jax: Any, key: Any, shape: Shape, dtype: Any) -> Any:
        a, b = _threefry(jax.numpy, key, math.prod(shape))
        return rounded(distribution(jax.numpy, a, b, dtype), dtype).reshape((*key.shape[:-1], *shape))

    return Primitive(
        name,
        shape=shaped,
        numpy=numpy,
        xla=xla,
        derivative="discrete",
        dtypes="own",
        samples=lambda rng: [
            (np.asarray([7, number, 9], np.uint32), {"shape": shape, "dtype": np.dtype(dtype)})
            for number, dtype in enumerate(dtypes)
            for shape in ((2, 3), (), (0, 2))
        ],
    )


KEY = spec((3,), np.uint32)
"""The one operand of these primitives: the halves of the seed, higher first, and the number of the draw.

Several keys in one array give the numbers of each, so the examples of a batch may have different keys.
"""


def is_key(one: Spec) -> bool:
    """Returns whether an operand is a key, or an array of keys."""
    return one.dtype == np.uint32 and one.shape[-1:] == (3,)


random_bits = draw("random_bits", _bits, np.uint64)
random_uniform = draw("random_uniform", _uniform, np.float64, np.float32, np.float16)
random_normal = draw("random_normal", _normal, np.float64, np.float32, np.float16)
random_truncated_normal = draw(
    "random_truncated_normal", _truncated_normal, np.float64, np.float32, np.float16
)


def _fold(xp: Any, key: Any, index: Any) -> Any:
    """Threefry of (index, number of the draw) under a seed kept apart from that of plain draws."""
    if key.shape[-1] == 6:
        return philox.folded(xp, key, index)
    word = np.uint32
    first, second, number = (key[..., i] for i in range(3))
    first, second = first ^ word(0x9E3779B9), second ^ word(0x7F4A7C15)
    schedule = (first, second, first ^ second ^ word(_PARITY))
    a = index.astype(word) + schedule[0]
    b = number + schedule[1]
    a, b = _rounds(a, b, schedule)
    return xp.stack([a, b, number], -1)


def _fold_numpy(key: Any, index: Any) -> Any:
    with np.errstate(over="ignore"):
        return _fold(np, key, index)


def _fold_shape(key: Spec, index: Spec) -> Spec:
    assert (is_key(key) or philox.is_key(key)) and index.shape == key.shape[:-1], (key, index)
    return key


# Where one recorded draw is run many times, as in the body of a loop, each run has a key of its own; keys are
# of either kind.
fold_in = Primitive(
    "fold_in",
    shape=_fold_shape,
    numpy=_fold_numpy,
    xla=lambda jax, key, index: _fold(jax.numpy, key, index),
    derivative="discrete",
    dtypes="own",
    samples=lambda rng: [
        (np.asarray([7, number, 9, *more], np.uint32), np.asarray(index, dtype))
        for number, index, dtype in ((0, 0, np.uint32), (5, 3, np.int64), (2**32 - 1, 2**31, np.uint32))
        for more in ((), (1, 2, 3))
    ],
)
