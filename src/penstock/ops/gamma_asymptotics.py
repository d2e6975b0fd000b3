"""The incomplete gamma function of large shapes: Temme's expansion, which holds uniformly around x = a."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

LARGE = 100.0
"""From this shape on the expansion is used ..."""
NEAR = 0.3
"""... where x differs from the shape by no more than this share of it."""
_POWERS, _TERMS = 9, 22
"""How many powers of 1 / a, and of eta, are added: the rest is below 1e-17 of the sum."""
# log(gamma(a)) - (a - 1/2) log(a) + a - log(2 pi) / 2, in odd powers of 1 / a: Abramowitz and Stegun, 6.1.41.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
Jet = list[Any]
"""A Taylor polynomial, by its coefficients."""


@functools.cache
def _coefficients() -> tuple[Any, Any]:
    """Returns the coefficients c_k(eta) = sum of d[n, k] eta^n, and those of mu / eta in powers of eta."""
    # N. M. Temme (1979); DLMF 8.12.7 to 8.12.12. With mu = x / a - 1 and eta^2 / 2 = mu - log(1 + mu), mu is
    # a power series in eta, by mu mu' = eta (1 + mu).
    count = _TERMS + 2 * _POWERS + 2
    mu = [Fraction(0), Fraction(1)]
    for n in range(2, count):
        known = sum((mu[i] * mu[n + 1 - i] for i in range(2, n)), Fraction(0))
        mu.append((2 * mu[n - 1] / (n + 1) - known) / 2)
    # 1 / mu = 1 / eta + rest[0] + rest[1] eta + ...
    inverse = [Fraction(1)]
    for n in range(1, count - 1):
        inverse.append(-sum((mu[1 + i] * inverse[n - i] for i in range(1, n + 1)), Fraction(0)))
    rest = inverse[1:]
    # c_0 = 1 / mu - 1 / eta; c_k is c_(k - 1)' / eta, and so much of 1 / mu that nothing is divided by eta.
    rows = [rest]
    for _ in range(1, _POWERS):
        last = rows[-1]
        rows.append([(n + 2) * last[n + 2] - last[1] * rest[n] for n in range(len(last) - 2)])
    table = np.asarray([[float(row[n]) for row in rows] for n in range(_TERMS)])
    return table, np.asarray([float(one) for one in mu[1 : _TERMS + 1]])


def _excess(xp: Any, ratio: Any, mu: Any) -> Any:
    """Returns mu - log(1 + mu), where 1 + mu is `ratio`, with all its digits."""
    # Near 0 by r = mu / (2 + mu), as log(1 + mu) = 2 (r + r^3 / 3 + r^5 / 5 + ...) and mu - 2 r = mu r.
    near = (mu > -0.6) & (mu < 1.5)
    r = xp.where(near, mu, 0.0) / (2.0 + xp.where(near, mu, 0.0))
    square = r * r
    series = xp.zeros_like(r)
    for j in range(24, -1, -1):
        series = series * square + 1.0 / (2 * j + 3)
    return xp.where(near, r * mu - 2.0 * r * square * series, mu - xp.log(ratio))


def log_front(xp: Any, log_gamma: Callable[[Any], Any], a: Any, x: Any) -> Any:
    """Returns log(x^a exp(-x) / gamma(a + 1)), for a > 0 and x > 0, without the loss of digits at large a."""
    large = a >= 10.0
    big, small = xp.where(large, a, 10.0), xp.where(large, 1.0, a)
    ratio = x / big
    correction = xp.zeros_like(big)
    for coefficient in reversed(_STIRLING):
        correction = correction / (big * big) + coefficient
    far = big * _excess(xp, ratio, (x - big) / big) + 0.5 * xp.log(2.0 * math.pi * big) + correction / big
    return xp.where(large, -far, small * xp.log(x) - x - log_gamma(small + 1.0))


def product(a: Sequence[Any], b: Sequence[Any]) -> Jet:
    """Returns the product of two Taylor polynomials, as long as the shorter."""
    return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(min(len(a), len(b)))]


def exponential(xp: Any, a: Sequence[Any]) -> Jet:
    """Returns exp of a Taylor polynomial."""
    result = [xp.exp(a[0])]
    for k in range(1, len(a)):
        result.append(sum(i * a[i] * result[k - i] for i in range(1, k + 1)) / k)
    return result


def _power(a: Any, exponent: Any, order: int) -> Jet:
    """Returns (a + t) ** exponent as a Taylor polynomial in t."""
    result = [a**exponent]
    for k in range(1, order + 1):
        result.append(result[-1] * (exponent - k + 1) / (k * a))
    return result


def _polynomial(xp: Any, loop: Any, coefficients: Any, at: Sequence[Any]) -> Jet:
    """Returns the sum of coefficients[n] at^n of a Taylor polynomial, by Horner's rule."""
    zero = 0.0 * (coefficients[0] + at[0])
    if len(at) == 1:
        total = coefficients[-1] + zero
        for one in coefficients[-2::-1]:
            total = total * at[0] + one
        return [total]
    # A loop for the compiler too: the unrolled form takes it seconds.
    table = xp.asarray(coefficients)

    def step(state: Any) -> Any:
        n, total = state
        first, *others = product(total, at)
        return n - 1, [first + table[n], *others]

    start = (len(coefficients) - 2, [coefficients[-1] + zero, *[zero] * (len(at) - 1)])
    return list(loop(lambda state: state[0] >= 0, step, start)[1])


def _derivative(a: Sequence[Any]) -> Jet:
    return [k * a[k] for k in range(1, len(a))]


def around(xp: Any, erfc: Callable[[Any], Any], loop: Any, a: Any, x: Any, order: int, upper: bool) -> Any:
    """Returns P(a, x), or with `upper` 1 - P(a, x), or the order-th derivative of P by a.

    For a >= LARGE and |x - a| <= NEAR a. `loop(go_on, step, state)` repeats a step.
    """

    def sum_of(coefficients: Any, at: Sequence[Any]) -> Jet:
        return _polynomial(xp, loop, coefficients, at)

    table, slopes = _coefficients()
    mu = (x - a) / a
    excess = _excess(xp, x / a, mu)
    eta = [xp.copysign(xp.sqrt(2.0 * xp.maximum(excess, 0.0)), mu)]
    # While x stays, d eta / da = -(mu / eta) / a.
    reciprocal = _power(a, -1.0, order)
    for k in range(order):
        eta.append(-product(sum_of(slopes, eta), reciprocal)[k] / (k + 1))
    # The sum of c_k(eta) a^-k: the powers k are along a separate axis.
    many = sum_of(table, [one[..., None] for one in eta])
    fractions = _power(a[..., None], -np.arange(float(_POWERS)), order)
    total = [one.sum(-1) for one in product(many, fractions)]
    scale = 1.0 / xp.sqrt(2.0 * math.pi * a)
    if order == 0:
        shared = xp.exp(-a * excess) * scale * total[0]
        half = 0.5 * erfc(eta[0] * xp.sqrt(0.5 * a) * (1.0 if upper else -1.0))
        return half + (shared if upper else -shared)
    # d/da of erfc(-eta sqrt(a / 2)) / 2 - exp(-a eta^2 / 2) / sqrt(2 pi a) total, where the exponent's slope
    # is log(x / a): every term has the factor exp(-a eta^2 / 2) / sqrt(2 pi a).
    less = order - 1
    logarithm = [mu - excess] + [-((-1.0) ** (k - 1)) / (k * a**k) for k in range(1, order + 1)]
    half_inverse = [0.5 * one for one in reciprocal]
    growth = [b - c for b, c in zip(logarithm, half_inverse, strict=True)]
    inner = [
        0.5 * e - r - g - s
        for e, r, g, s in zip(
            eta[: less + 1],
            sum_of(slopes, eta[: less + 1]),
            product(growth, total)[: less + 1],
            _derivative(total),
            strict=True,
        )
    ]
    exponent = [-a * excess] + [logarithm[k - 1] / k for k in range(1, less + 1)]
    front = product(exponential(xp, exponent), _power(a, -0.5, less))
    return product(front, inner)[less] * (math.factorial(less) / math.sqrt(2.0 * math.pi))


__all__ = ["LARGE", "NEAR", "around", "exponential", "log_front", "product"]
