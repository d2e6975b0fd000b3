"""Draws that take a word after the other until one is accepted: Poisson, binomial and gamma distributions.

Poisson: L. Devroye, "Non-Uniform Random Variate Generation", 1986, chapter X, with its errata, as C++ has it.
Binomial: W. Hormann's rejection (BTRS, 1993), and geometric steps where few successes are expected. Gamma:
G. Marsaglia and W. W. Tsang, 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.paddle._twister import Twister

_Array = Any
"""An array of NumPy."""
_AHEAD = 256


class _Reader:
    """Hands out an engine's words one by one, as numbers from 0 to below 1; gives back those not taken."""

    def __init__(self, engine: Twister) -> None:
        self.engine, self.words, self.at = engine, [], 0  # type: ignore[var-annotated]

    def word(self) -> int:
        if self.at == len(self.words):
            self.engine.skip(self.at)
            self.words, self.at = self.engine.ahead(_AHEAD).tolist(), 0
        self.at += 1
        return self.words[self.at - 1]  # type: ignore[no-any-return]

    def double(self) -> float:
        """Returns a double-precision number."""
        return min(self.word() * 2.0**-64, 1 - 2.0**-53)

    def single(self) -> float:
        """Returns a single-precision number."""
        return min(float(np.float32(self.word())) * 2.0**-64, 1 - 2.0**-24)

    def normals(self, draw: Callable[[], float]) -> tuple[float, float]:
        """Returns two draws of the normal distribution, by the polar method."""
        while True:
            x, y = 2 * draw() - 1, 2 * draw() - 1
            square = x * x + y * y
            if 0 < square <= 1:
                length = math.sqrt(-2 * math.log(square) / square)
                return y * length, x * length

    def close(self) -> None:
        """Gives back the words that were not taken."""
        self.engine.skip(self.at)


def _each(engine: Twister, draw: Callable[..., float], dtype: Any, *given: _Array) -> _Array:
    reader = _Reader(engine)
    found = [draw(reader, *map(float, one)) for one in zip(*(one.ravel() for one in given), strict=True)]
    reader.close()
    return np.asarray(found, np.float64).reshape(given[0].shape).astype(dtype)


def poisson(engine: Twister, means: _Array, dtype: Any) -> _Array:
    """Returns a draw of the Poisson distribution for each mean."""
    return _each(engine, lambda reader, mean: (_far if mean >= 12 else _near)(reader, mean), dtype, means)


def _near(reader: _Reader, mean: float) -> float:
    limit, product, count = math.exp(-mean), 1.0, 0
    while True:
        product *= reader.double()
        if product <= limit:
            return count
        count += 1


def _far(reader: _Reader, mean: float) -> float:
    most = math.floor(mean)
    root, logarithm, at_most = math.sqrt(most), math.log(mean), math.lgamma(most + 1)
    width = math.sqrt(2 * most * math.log(32 * most / (math.pi / 4)))
    tail = float(round(max(6.0, min(float(most), width))))
    spread = 2 * most + tail
    first = root * math.sqrt(math.pi / 2)
    second = first + math.sqrt(math.pi / 4 * spread) * math.exp(1 / spread)
    # e ** (1 / 78) is the height of the step at one above the middle.
    fifth = second + 2 + math.exp(1 / 78)
    whole = fifth + 2 * spread * math.exp(-tail / spread * (1 + tail / 2)) / tail
    waiting: list[float] = []
    while True:
        where = whole * reader.double()
        height = -math.log(1.0 - reader.double())
        if where <= second:
            if not waiting:
                waiting.extend(reversed(reader.normals(reader.double)))
            normal = waiting.pop()
            if where <= first:
                x = math.floor(-abs(normal) * root - 1)
                weight = -normal * normal / 2
                if x < -most:
                    continue
            else:
                y = 1 + abs(normal) * math.sqrt(spread / 2)
                x = math.ceil(y)
                weight = y * (2 - y) / spread
                if x > tail:
                    continue
        elif where <= second + 2:
            x, weight = (-1 if where <= second + 1 else 0), 0.0
        elif where <= fifth:
            x, weight = 1, 1 / 78
        else:
            y = tail - math.log(1.0 - reader.double()) * 2 * spread / tail
            x, weight = math.ceil(y), -tail / spread * (1 + y / 2)
        if weight - height - x * logarithm <= at_most - math.lgamma(x + most + 1):
            return x + most


def binomial(engine: Twister, counts: _Array, shares: _Array, dtype: Any) -> _Array:
    """Returns for each pair how many of `count` draws succeed that do so with a probability."""
    single = shares.dtype != np.float64

    def drawn(reader: _Reader, count: float, share: float) -> float:
        return _binomial(reader, count, share, single)

    return _each(engine, drawn, dtype, counts, shares)


def _binomial(reader: _Reader, count: float, share: float, single: bool) -> float:
    if count <= 0 or share <= 0:
        return 0
    if share >= 1:
        return int(count)
    if share > 0.5:
        # The subtraction is done in the precision of the probability.
        return int(count) - _binomial(
            reader, count, float(np.float32(1.0 - share)) if single else 1.0 - share, single
        )
    draw = reader.single if single else reader.double
    return (_many if count * share >= 10 else _few)(draw, count, share)


def _few(draw: Callable[[], float], count: float, share: float) -> int:
    logarithm, passed, found = math.log1p(-share), 0.0, 0
    while True:
        unit = draw()
        passed += math.ceil(math.log(unit) / logarithm) if unit else math.inf
        if passed > count:
            return found
        found += 1


def _many(draw: Callable[[], float], n: float, p: float) -> int:
    deviation = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    middle, accepted, odds = n * p + 0.5, 0.92 - 4.2 / b, p / (1 - p)
    alpha, m = (2.83 + 5.1 / b) * deviation, math.floor((n + 1) * p)
    while True:
        u, v = draw() - 0.5, draw()
        apart = 0.5 - abs(u)
        k = math.floor((2 * a / apart + b) * u + middle) if apart else -1
        if not 0 <= k <= n:
            continue
        if apart >= 0.07 and v <= accepted:
            return k
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (n - m + 1)))
            + (n + 1) * math.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            + _tail(m) + _tail(n - m) - _tail(k) - _tail(n - k)
        )  # fmt: skip
        if v == 0 or math.log(v * alpha / (a / (apart * apart) + b)) <= bound:
            return k


def _tail(k: float) -> float:
    """Returns by how much Stirling's formula falls short of the logarithm of k factorial."""
    return math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))


def dirichlet(engine: Twister, concentrations: _Array, dtype: Any) -> _Array:
    """Returns shares along the last axis: draws of gamma distributions over their sum."""
    found = gamma(engine, concentrations, dtype)
    return found / found.sum(-1, keepdims=True)


def gamma(engine: Twister, shapes: _Array, dtype: Any) -> _Array:
    """Returns a draw of the gamma distribution with each of these concentrations, and the scale 1."""
    single = shapes.dtype != np.float64
    least = float(np.finfo(np.float32 if single else np.float64).tiny)

    def drawn(reader: _Reader, alpha: float) -> float:
        return max(least, _gamma(reader, alpha, reader.single if single else reader.double))

    return _each(engine, drawn, dtype, shapes)


def _gamma(reader: _Reader, alpha: float, draw: Callable[[], float]) -> float:
    scale = 1.0
    if alpha < 1:
        if not alpha:
            return 0.0
        scale, alpha = (1 - draw()) ** (1 / alpha), alpha + 1
    d = alpha - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = reader.normals(draw)[0]
        if 1 + c * x <= 0:
            continue
        v, u, square = (1 + c * x) ** 3, 1 - draw(), x * x
        if u < 1 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v


__all__ = ["binomial", "dirichlet", "gamma", "poisson"]
