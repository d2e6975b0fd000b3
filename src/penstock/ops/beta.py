"""The incomplete beta function and its derivatives by both parameters, once for both tiers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.ops.incomplete import _tools
from penstock.ops.pointwise import equal, exp, log, log1p, logical_or, where
from penstock.ops.special import digamma, lgamma, polygamma, wide_in_both
from penstock.ops.table import Primitive, broadcasting
from penstock.ops.zeta import in_float32
from penstock.trace.tensor import Tensor

_LONGEST = 100_000
Jet = list[list[Any]]
"""A Taylor polynomial in a and b: the coefficient of a^i b^j is at [i][j]."""


def _product(x: Jet, y: Jet) -> Jet:
    return [
        [sum(x[k][m] * y[i - k][j - m] for k in range(i + 1) for m in range(j + 1)) for j in range(len(x[0]))]
        for i in range(len(x))
    ]


def _exponential(xp: Any, x: Jet) -> Jet:
    """Returns exp(x) for a Taylor polynomial x, from y' = x' y, in a or, for constant a, in b."""
    rows, columns = len(x), len(x[0])
    y: Jet = [[None] * columns for _ in range(rows)]
    y[0][0] = xp.exp(x[0][0])
    for j in range(1, columns):
        y[0][j] = sum(m * x[0][m] * y[0][j - m] for m in range(1, j + 1)) / j
    for i in range(1, rows):
        for j in range(columns):
            y[i][j] = sum(k * x[k][m] * y[i - k][j - m] for k in range(1, i + 1) for m in range(j + 1)) / i
    return y


def _below(jax: Any, a: Any, b: Any, x: Any, i: int, j: int) -> Any:
    """Returns the derivative of I(a, b, x), i times by a and j times by b, for x up to about the mean."""
    # I = x^a (1 - x)^b / (a B(a, b)) (1 + (a + b) / (a + 1) x + (a + b) (a + b + 1) / ((a + 1) (a + 2)) x^2
    # + ...): DLMF 8.17.8. No term is negative, so nothing cancels.
    xp, lgamma_of, slope_of, loop = _tools(jax)
    zero, one = xp.zeros_like(x), xp.ones_like(x)
    shape = (range(i + 1), range(j + 1))

    def jet(value: Any, by_a: Any = 0.0, by_b: Any = 0.0) -> Jet:
        found = [[zero for _ in shape[1]] for _ in shape[0]]
        found[0][0] = value
        if i:
            found[1][0] = zero + by_a
        if j:
            found[0][1] = zero + by_b
        return found

    def step(state: Any) -> Any:
        n, terms, sums = state
        grown = _product(terms, jet((a + b + n) * x, x, x))
        # Divided by a + 1 + n, which does not contain b.
        base = a + 1.0 + n
        fresh: Jet = [[None for _ in shape[1]] for _ in shape[0]]
        for k in shape[0]:
            for m in shape[1]:
                fresh[k][m] = (grown[k][m] - (fresh[k - 1][m] if k else 0.0)) / base
        sums = [[s + t for s, t in zip(*rows, strict=True)] for rows in zip(sums, fresh, strict=True)]
        return n + 1.0, fresh, sums

    def go_on(state: Any) -> Any:
        n, terms, sums = state
        some = (abs(terms[i][j]) > 1e-17 * abs(sums[i][j])) | (abs(terms[0][0]) > 1e-17 * sums[0][0])
        return (n < _LONGEST) & xp.any(some)

    start = jet(one)
    _, _, sums = loop(go_on, step, (0.0, start, start))
    exponent = jet(zero)
    for k in shape[0]:
        for m in shape[1]:
            if k + m == 0:
                exponent[0][0] = (
                    a * xp.log(x) + b * xp.log1p(-x) - lgamma_of(a + 1.0) - lgamma_of(b) + lgamma_of(a + b)
                )
                continue
            value = slope_of(a + b, k + m) / (math.factorial(k) * math.factorial(m))
            if m == 0:
                value = value - slope_of(a + 1.0, k) / math.factorial(k) + (xp.log(x) if k == 1 else 0.0)
            if k == 0:
                value = value - slope_of(b, m) / math.factorial(m) + (xp.log1p(-x) if m == 1 else 0.0)
            exponent[k][m] = value
    result = _product(_exponential(xp, exponent), sums)[i][j]
    return result * float(math.factorial(i) * math.factorial(j))


def _betainc(jax: Any, a: Any, b: Any, x: Any, order: tuple[int, int]) -> Any:
    xp = np if jax is None else jax.numpy
    a, b, x = xp.broadcast_arrays(a, b, x)
    i, j = order
    good = (a > 0.0) & (b > 0.0) & (a < xp.inf) & (b < xp.inf) & (x > 0.0) & (x < 1.0)
    a1, b1, x1 = xp.where(good, a, 1.0), xp.where(good, b, 1.0), xp.where(good, x, 0.25)
    # I(a, b, x) = 1 - I(b, a, 1 - x): the one whose terms decrease from the start is summed.
    over = x1 > (a1 + 1.0) / (a1 + b1 + 2.0)
    # Each place uses one of the two series; the other gets arguments for which it ends soon.
    own = _below(jax, xp.where(over, 1.0, a1), xp.where(over, 1.0, b1), xp.where(over, 0.25, x1), i, j)
    swapped = _below(
        jax, xp.where(over, b1, 1.0), xp.where(over, a1, 1.0), xp.where(over, 1.0 - x1, 0.25), j, i
    )
    value = xp.where(over, (0.0 if i + j else 1.0) - swapped, own)
    allowed = (a > 0.0) & (b > 0.0) & (a < xp.inf) & (b < xp.inf) & (x >= 0.0) & (x <= 1.0)
    edge = xp.where(x == 0.0, 0.0, 0.0 if i + j else 1.0)
    return xp.where(good, value, xp.where(allowed, edge, xp.nan))


def _slope_of_log_density(a: Tensor, b: Tensor, x: Tensor, i: int, j: int) -> Any:
    """Returns the derivative of log(x^(a - 1) (1 - x)^(b - 1) / B(a, b)), i times by a and j times by b."""

    def psi(z: Any, k: int) -> Any:
        return digamma(z) if k == 0 else polygamma(z, order=k)

    value = psi(a + b, i + j - 1)
    if j == 0:
        value = value - psi(a, i - 1)
        value = value + log(x) if i == 1 else value
    if i == 0:
        value = value - psi(b, j - 1)
        value = value + log1p(-x) if j == 1 else value
    return value


def _density(a: Tensor, b: Tensor, x: Tensor, order: tuple[int, int]) -> Any:
    """Returns the derivative of the beta density by a and by b, of these orders."""
    edge = logical_or(equal(x, 0.0), equal(x, 1.0))
    inner: Any = where(edge, 0.5, x)
    constant = lgamma(a + b) - lgamma(a) - lgamma(b)
    known = {(0, 0): exp((a - 1.0) * log(inner) + (b - 1.0) * log1p(-inner) + constant)}

    def slope(i: int, j: int) -> Any:
        if (i, j) in known:
            return known[i, j]
        # One derivative is that of the logarithm; the others are distributed over the two factors.
        first = (i - 1, j) if i else (i, j - 1)
        total: Any = None
        for k in range(first[0] + 1):
            for m in range(first[1] + 1):
                by_a, by_b = (k + 1, m) if i else (k, m + 1)
                term = slope(first[0] - k, first[1] - m) * _slope_of_log_density(a, b, inner, by_a, by_b)
                term = term * float(math.comb(first[0], k) * math.comb(first[1], m))
                total = term if total is None else total + term
        known[i, j] = total
        return total

    found = slope(*order)
    if order != (0, 0):
        return where(edge, 0.0, found)
    # At an edge the density is 0, its parameter or infinite.
    border = where(equal(x, 0.0), a, b)
    other = where(equal(x, 0.0), b, a)
    at_edge = where(equal(border, 1.0), other, where(border < 1.0, np.inf, 0.0))
    return where(edge, at_edge, found)


@in_float32
def _by_a(ct: Tensor, y: Tensor, a: Tensor, b: Tensor, x: Tensor, order: tuple[int, int]) -> Any:
    return ct * betainc(a, b, x, order=(order[0] + 1, order[1]))


@in_float32
def _by_b(ct: Tensor, y: Tensor, a: Tensor, b: Tensor, x: Tensor, order: tuple[int, int]) -> Any:
    return ct * betainc(a, b, x, order=(order[0], order[1] + 1))


@in_float32
def _by_x(ct: Tensor, y: Tensor, a: Tensor, b: Tensor, x: Tensor, order: tuple[int, int]) -> Any:
    return ct * _density(a, b, x, order)


_numpy, _xla = wide_in_both(_betainc)
betainc: Primitive = Primitive(
    "betainc",
    shape=broadcasting("betainc"),
    numpy=_numpy,
    xla=_xla,
    vjp=(_by_a, _by_b, _by_x),
    dtypes="real floating-point",
    samples=lambda rng: [
        (
            np.asarray([0.4, 2.5, 1.3]),
            np.asarray([[0.7], [4.1]]),
            np.asarray([0.2, 0.5, 0.9]),
            {"order": (0, 0)},
        ),
        (np.asarray(1.6), np.asarray(2.1), np.asarray(0.3), {"order": (1, 0)}),
        (np.asarray(1.6), np.asarray(2.1), np.asarray(0.7), {"order": (0, 1)}),
        (np.zeros((0, 1)), np.asarray([0.7, 4.1]), np.asarray(0.5), {"order": (0, 0)}),
    ],
)
