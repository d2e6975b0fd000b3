"""Numbers of distributions from an engine's words: of which words, and in which precision, as in C++.

`uniform_real_distribution` takes a word for a number, `normal_distribution` is G. Marsaglia's polar method,
of which it hands out both numbers, `uniform_int_distribution` D. Lemire's (2019) multiplication.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from penstock.paddle._twister import Twister
from penstock.trace.spec import Shape

_Array = Any
"""An array of NumPy."""
_BLOCK = 1 << 14
"""How many numbers are made together, so that they stay in the CPU's cache."""
_WHOLE = 1 << 64


def _kind(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype that numbers are made in; those of two bytes are rounded at the end."""
    return np.dtype(np.float64 if dtype == np.float64 else np.float32)


def _unit(words: _Array, kind: np.dtype[Any]) -> _Array:
    """Returns words as numbers from 0 to below 1."""
    found: _Array = words.astype(kind)
    found *= kind.type(2.0**-64)
    # A word that rounds to 1 becomes what lies before it.
    return np.minimum(found, kind.type(1.0) - kind.type(np.finfo(kind).epsneg), out=found)


def _in_blocks(engine: Twister, shape: Shape, kind: np.dtype[Any], make: Any) -> _Array:
    """Returns numbers, one for each word."""
    found = np.empty(math.prod(shape), kind)
    for start in range(0, found.size, _BLOCK):
        part = found[start : start + _BLOCK]
        part[...] = make(_unit(engine.take(part.size), kind))
    return found.reshape(shape)


def uniform(
    engine: Twister, shape: Shape, low: float = 0.0, high: float = 1.0, dtype: Any = np.float32
) -> _Array:
    """Returns numbers between two, which are single-precision ones in every dtype."""
    kind = _kind(np.dtype(dtype))
    least, width = kind.type(np.float32(low)), kind.type(np.float32(high)) - kind.type(np.float32(low))
    return _in_blocks(engine, shape, kind, lambda u: u * width + least).astype(dtype, copy=False)


def kept(engine: Twister, shape: Shape, share: float) -> _Array:
    """Returns which single-precision draws from 0 to 1 are not below a share, which is less than 1."""
    limit = _limit(float(np.float32(share)))
    found = np.empty(math.prod(shape), np.bool_)
    for start in range(0, found.size, _BLOCK):
        part = found[start : start + _BLOCK]
        np.greater_equal(engine.take(part.size), limit, out=part)
    return found.reshape(shape)


@functools.lru_cache
def _limit(share: float) -> Any:
    """Returns the least word that, rounded to single precision, is no less than a share of all words."""
    low, high = 0, _WHOLE - 1
    while low < high:
        middle = (low + high) // 2
        if float(np.uint64(middle).astype(np.float32)) < share * 2.0**64:
            low = middle + 1
        else:
            high = middle
    return np.uint64(low)


def normal(
    engine: Twister, shape: Shape, mean: float = 0.0, deviation: float = 1.0, dtype: Any = np.float32
) -> _Array:
    """Returns draws of the normal distribution, whose parameters are single-precision numbers.

    Those of a complex dtype have the parts of their variance as their own, and both parts about `mean`.
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        part = math.sqrt(float(np.float32(deviation)) ** 2 / 2)
        half = np.dtype(np.float64 if dtype.itemsize == 16 else np.float32)
        return normal(engine, (2 * math.prod(shape),), mean, part, half).view(dtype).reshape(shape)
    kind, count = _kind(dtype), math.prod(shape)
    found = _polar(engine, -(-count // 2), kind).reshape(-1)[:count]
    found *= kind.type(np.float32(deviation))
    found += kind.type(np.float32(mean))
    return found.astype(dtype, copy=False).reshape(shape)


def _polar(engine: Twister, pairs: int, kind: np.dtype[Any]) -> _Array:
    """Returns pairs of draws of the standard normal distribution."""
    found = np.empty((pairs, 2), kind)
    done = 0
    while done < pairs:
        wanted = min(pairs - done, _BLOCK // 2)
        # A pair lies in the circle with the probability pi / 4.
        tries = wanted + wanted // 3 + 8
        points = 2 * _unit(engine.ahead(2 * tries), kind).reshape(-1, 2) - 1
        x, y = points[:, 0], points[:, 1]
        square = x * x + y * y
        taken = np.flatnonzero((square <= 1) & (square != 0))[:wanted]
        engine.skip(2 * (int(taken[-1]) + 1 if taken.size == wanted else tries))
        square = square[taken]
        # In double precision, which the C library rounds to the same single-precision logarithm.
        length = (-2 * np.log(square.astype(np.float64)).astype(kind)) / square
        np.sqrt(length, out=length)
        part = found[done : done + taken.size]
        np.multiply(y[taken], length, out=part[:, 0])
        np.multiply(x[taken], length, out=part[:, 1])
        done += taken.size
    return found


def integers(engine: Twister, shape: Shape, low: int, high: int, dtype: Any = np.int64) -> _Array:
    """Returns integers from `low`, included, to `high`, not included."""
    width = np.full(math.prod(shape), high - low, np.uint64)
    return (_scaled(engine, width).astype(np.int64) + low).astype(dtype, copy=False).reshape(shape)


def _scaled(engine: Twister, widths: _Array) -> _Array:
    """Returns an integer from 0 to below each width: the upper half of a word times the width."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    words = engine.ahead(widths.size)
    if bool((words * widths < -widths % widths).any()):
        return np.asarray([_scaled_alone(engine, int(one)) for one in widths], np.uint64)
    engine.skip(widths.size)
    a, b, c, d = words >> half, words & low, widths >> half, widths & low
    first, second, third = b * d, a * d, b * c
    middle = (first >> half) + (second & low) + (third & low)
    return a * c + (second >> half) + (third >> half) + (middle >> half)


def _scaled_alone(engine: Twister, width: int) -> int:
    """Returns one integer from 0 to below `width`; takes another word where a word favours some of them."""
    while True:
        product = int(engine.take(1)[0]) * width
        if product % _WHOLE >= _WHOLE % width:
            return product >> 64


def permutation(engine: Twister, count: int, dtype: Any = np.int64) -> _Array:
    """Returns the integers below `count` in random order, as `std::shuffle` exchanges them: two by a word."""
    order = list(range(count))
    start = 2 - count % 2
    places = np.arange(start, count, 2, dtype=np.uint64)
    widths = (places + np.uint64(1)) * (places + np.uint64(2))
    if start == 2 and count:
        widths = np.insert(widths, 0, 2)
    drawn = _scaled(engine, widths)
    if start == 2 and count:
        other = int(drawn[0])
        order[1], order[other] = order[other], order[1]
        drawn = drawn[1:]
    firsts, seconds = np.divmod(drawn, places + np.uint64(2))
    for i, first, second in zip(range(start, count, 2), firsts.tolist(), seconds.tolist(), strict=True):
        order[i], order[first] = order[first], order[i]
        order[i + 1], order[second] = order[second], order[i + 1]
    return np.asarray(order, dtype)


def remainders(engine: Twister, shape: Shape, low: int, high: int, dtype: Any) -> _Array:
    """Returns integers from `low`, included, to `high`, not included: remainders of words or their halves."""
    words, width = engine.take(math.prod(shape)), high - low
    if width < 1 << 28:
        words = words & np.uint64(0xFFFFFFFF)
    return ((words % np.uint64(width)).astype(np.int64) + low).astype(dtype).reshape(shape)


def _erfinv(share: _Array) -> _Array:
    """Returns the inverse of the error function: an approximation, and a step of Halley's method."""
    from penstock.functions import special

    found = np.asarray(special.ndtri(0.5 + 0.5 * share)) * math.sqrt(0.5)
    apart = (np.asarray(special.erf(found)) - share) * (math.sqrt(math.pi) / 2) * np.exp(found * found)
    return found - apart / (1 + found * apart)


def truncated_normal(
    engine: Twister, shape: Shape, mean: float, deviation: float, least: float, most: float, dtype: Any
) -> _Array:
    """Returns draws of the normal distribution between two ends, by the inverse of its distribution."""
    kind = _kind(np.dtype(dtype))
    # The parameters are single-precision numbers in every dtype.
    mean, deviation, least, most = (float(np.float32(one)) for one in (mean, deviation, least, most))

    def share(end: float) -> Any:
        # In the dtype, as far as Paddle goes in it.
        apart = (kind.type(end) - kind.type(mean)) / kind.type(deviation)
        return kind.type((1 + math.erf(float(apart) / math.sqrt(2))) / 2)

    low, high = share(least), share(most)
    tiny = kind.type(np.finfo(np.float32).tiny)
    width = kind.type(1.0) - tiny

    def made(u: _Array) -> _Array:
        place = 2 * (low + (high - low) * (u * width + tiny)) - 1
        return math.sqrt(2.0) * _erfinv(place.astype(np.float64)) * deviation + mean

    found = np.clip(_in_blocks(engine, shape, kind, made), least, most)
    return found.astype(dtype, copy=False)


def gumbel(engine: Twister, shape: Shape, dtype: Any = np.float32) -> _Array:
    """Returns draws of the Gumbel distribution, of uniform ones that begin at 0.00001."""
    kind = _kind(np.dtype(dtype))
    least = kind.type(0.00001)

    def made(u: _Array) -> _Array:
        u = u * (1 - least) + least
        return -np.log(-np.log(u.astype(np.float64)).astype(kind).astype(np.float64))

    return _in_blocks(engine, shape, kind, made)


def slopes(engine: Twister, negative: _Array, low: float, high: float, dtype: Any) -> _Array:
    """Returns 1, but a number between two where `negative` is true, for which alone words are taken."""
    found = np.ones(negative.shape, dtype)
    found[negative] = uniform(engine, (int(negative.sum()),), low, high)
    return found


def categories(engine: Twister, weights: _Array, count: int, again: bool) -> _Array:
    """Returns `count` indices for each row of weights; without `again`, each index once."""
    kind = _kind(weights.dtype)
    found = np.empty((*weights.shape[:-1], count), np.int64)
    rows = weights.astype(kind).reshape(-1, weights.shape[-1])
    for row, result in zip(rows, found.reshape(len(rows), count), strict=True):
        shares = np.cumsum(row, dtype=kind)
        shares /= shares[-1]
        drawn = _unit(engine.take(count), kind)
        if again:
            shares[-1] = 1
            result[:] = np.searchsorted(shares, drawn, "left")
            continue
        for i in range(count):
            shares[-1] = 1
            result[i] = chosen = int(np.searchsorted(shares, drawn[i], "left"))
            share = shares[chosen] - (shares[chosen - 1] if chosen else kind.type(0))
            shares[chosen:] -= share
            shares /= kind.type(1.0 - share)
    return found


__all__ = [
    "categories", "gumbel", "integers", "kept", "normal", "permutation", "remainders", "slopes",
    "truncated_normal", "uniform",
]  # fmt: skip
