"""The incomplete gamma function, its derivatives by the shape and its inverse, once for both tiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.ops.pointwise import exp, greater, log, where
from penstock.ops.random import normal_quantile
from penstock.ops.special import digamma, lgamma, polygamma, wide, wide_in_xla
from penstock.ops.table import Primitive, broadcasting
from penstock.trace.tensor import Tensor

_LONGEST = 100_000
"""How many terms of a series are added at most: enough for values of some 90,000."""


def _tools(jax: Any) -> tuple[Any, Any, Any, Callable[..., Any]]:
    """Returns the array module, log-gamma, its derivatives by their order, and a loop."""
    if jax is None:

        def loop(go_on: Any, step: Any, state: Any) -> Any:
            while go_on(state):
                state = step(state)
            return state

        return np, lgamma.numpy, _slope_of_lgamma(None), loop
    return jax.numpy, jax.lax.lgamma, _slope_of_lgamma(jax), jax.lax.while_loop


def _slope_of_lgamma(jax: Any) -> Callable[[Any, int], Any]:
    def slope(a: Any, order: int) -> Any:
        if order == 1:
            return digamma.numpy(a) if jax is None else jax.lax.digamma(a)
        if jax is None:
            return polygamma.numpy(a, order=order - 1)
        rule: Any = polygamma.xla
        return rule(jax, a, order=order - 1)

    return slope


def _jet_product(xp: Any, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(len(a))]


def _jet_exp(xp: Any, a: Sequence[Any]) -> list[Any]:
    result = [xp.exp(a[0])]
    for k in range(1, len(a)):
        result.append(sum(i * a[i] * result[k - i] for i in range(1, k + 1)) / k)
    return result


def _series(jax: Any, a: Any, x: Any, order: int) -> Any:
    """Returns the order-th derivative by a of P(a, x), for a > 0 and 0 < x < inf."""
    # P(a, x) = x^a exp(-x) / gamma(a + 1) (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...): Abramowitz and
    # Stegun, 6.5.29. All of it is done with Taylor polynomials in a, cut after the power `order`.
    xp, lgamma_of, slope_of, loop = _tools(jax)
    # Far above a, what is lacking to 1 is below exp(-70), and the sum may overflow.
    far = x > a + 12.0 * xp.sqrt(a) + 100.0
    x = xp.where(far, 1.0, x)
    zero = xp.zeros_like(x)
    start = [xp.ones_like(x)] + [zero] * order

    def step(state: Any) -> Any:
        n, terms, sums = state
        base = a + n
        fresh: list[Any] = []
        for k, term in enumerate(terms):
            fresh.append((term * x - (fresh[k - 1] if k else 0.0)) / base)
        return n + 1.0, fresh, [s + t for s, t in zip(sums, fresh, strict=True)]

    def go_on(state: Any) -> Any:
        n, terms, sums = state
        # Terms fall by a half at least from n = 2x on; until then they may still grow.
        some = (abs(terms[order]) > 1e-17 * abs(sums[order])) | (abs(terms[0]) > 1e-17 * sums[0])
        return (n < _LONGEST) & xp.any(some)

    _, _, sums = loop(go_on, step, (1.0, start, list(start)))
    exponent = [a * xp.log(x) - x - lgamma_of(a + 1.0)]
    for k in range(1, order + 1):
        own = xp.log(x) if k == 1 else 0.0
        exponent.append(own - slope_of(a + 1.0, k) / math.factorial(k))
    value = _jet_product(xp, _jet_exp(xp, exponent), sums)[order] * float(math.factorial(order))
    return xp.where(far, 0.0 if order else 1.0, value)


def _fraction(jax: Any, a: Any, x: Any) -> Any:
    """Returns Q(a, x) = 1 - P(a, x) for x > a + 1, with all its digits."""
    # The continued fraction of Abramowitz and Stegun, 6.5.31, in its even part, by Lentz's method.
    xp, lgamma_of, _, loop = _tools(jax)
    b = x + 1.0 - a
    d = 1.0 / b

    def step(state: Any) -> Any:
        i, b, c, d, h, _ = state
        factor = i * (a - i)
        b = b + 2.0
        d = 1.0 / (factor * d + b)
        c = b + factor / c
        return i + 1.0, b, c, d, h * d * c, abs(d * c - 1.0)

    def go_on(state: Any) -> Any:
        return (state[0] < 5000.0) & xp.any(state[5] > 2e-16)

    state = loop(go_on, step, (1.0, b, xp.full_like(x, 1e300), d, d, xp.ones_like(x)))
    return xp.exp(a * xp.log(x) - x - lgamma_of(a)) * state[4]


def _gammainc(jax: Any, a: Any, x: Any, order: int, upper: bool) -> Any:
    xp = np if jax is None else jax.numpy
    a, x = xp.broadcast_arrays(a, x)
    good = (a > 0.0) & (x > 0.0) & (x < xp.inf) & (a < xp.inf)
    inner_a, inner_x = xp.where(good, a, 1.0), xp.where(good, x, 1.0)
    value = _series(jax, inner_a, inner_x, order)
    at_zero, at_infinity = 0.0, 0.0 if order else 1.0
    if upper:
        assert order == 0
        above = inner_x > inner_a + 1.0
        tail = _fraction(jax, xp.where(above, inner_a, 1.0), xp.where(above, inner_x, 3.0))
        value = xp.where(above, tail, 1.0 - value)
        at_zero, at_infinity = 1.0, 0.0
    value = xp.where(x == 0.0, at_zero, xp.where(x == xp.inf, at_infinity, value))
    allowed = (a > 0.0) & (x >= 0.0) & (a < xp.inf)
    return xp.where(allowed, value, xp.nan)


def _wide_both(values: Callable[..., Any]) -> tuple[Any, Any]:
    def in_xla(jax: Any, *arrays: Any, **params: Any) -> Any:
        return wide_in_xla(lambda xp, *wider, **more: values(jax, *wider, **more))(jax, *arrays, **params)

    return wide(lambda xp, *arrays, **params: values(None, *arrays, **params)), in_xla


def _log_density(a: Tensor, x: Tensor, order: int) -> Any:
    """Returns the order-th derivative by a of the gamma density exp((a - 1) log x - x - lgamma(a)) at x."""
    positive = greater(x, 0.0)
    logarithm: Any = log(where(positive, x, 1.0))
    density = where(positive, exp((a - 1.0) * logarithm - x - lgamma(a)), 0.0)
    found = [density]
    for k in range(order):
        total: Any = None
        for j in range(k + 1):
            slope = logarithm - digamma(a) if j == 0 else -polygamma(a, order=j)
            term = found[k - j] * slope * float(math.comb(k, j))
            total = term if total is None else total + term
        found.append(total)
    return found[order]


def _by_a(ct: Tensor, y: Tensor, a: Tensor, x: Tensor, order: int, upper: bool) -> Any:
    slope = gammainc(a, x, order=order + 1, upper=False)
    return -ct * slope if upper else ct * slope


def _by_x(ct: Tensor, y: Tensor, a: Tensor, x: Tensor, order: int, upper: bool) -> Any:
    slope = ct * _log_density(a, x, order)
    return -slope if upper else slope


_numpy, _xla = _wide_both(_gammainc)
gammainc: Primitive = Primitive(
    "gammainc",
    shape=broadcasting("gammainc"),
    numpy=_numpy,
    xla=_xla,
    vjp=(_by_a, _by_x),
    dtypes="real floating-point",
    samples=lambda rng: [
        (np.asarray([[0.4, 2.5, 1.3]]), np.asarray([[0.3], [4.1]]), {"order": 0, "upper": False}),
        (np.asarray([0.8, 2.1]), np.asarray([5.2, 0.7]), {"order": 0, "upper": True}),
        (np.asarray(1.6), np.asarray(1.1), {"order": 1, "upper": False}),
        (np.zeros((0, 1)), np.asarray([0.3, 4.1]), {"order": 0, "upper": True}),
    ],
)


def _inverse(jax: Any, a: Any, p: Any) -> Any:
    """Returns the y for which P(a, y) = p."""
    xp, lgamma_of, _, _ = _tools(jax)
    a, p = xp.broadcast_arrays(a, p)
    good = (a > 0.0) & (a < xp.inf) & (p > 0.0) & (p < 1.0)
    inner_a, inner_p = xp.where(good, a, 1.0), xp.where(good, p, 0.5)
    # Wilson and Hilferty's cube of a normal value, or for small values the first term of the series; then
    # Newton's method on log y, with Halley's correction.
    ninth = 1.0 / (9.0 * inner_a)
    cube = 1.0 - ninth + normal_quantile(xp, inner_p) * xp.sqrt(ninth)
    first = (xp.log(inner_p) + lgamma_of(inner_a + 1.0)) / inner_a
    middle = xp.log(inner_a * xp.maximum(cube, 1e-3) ** 3)
    tail = xp.log(xp.maximum(-xp.log1p(-inner_p), 1e-300))
    t = xp.where((cube < 0.4) | (inner_a < 0.6), xp.where(first < 0.0, first, xp.maximum(tail, 0.0)), middle)
    low, high = xp.full_like(t, -1e4), xp.full_like(t, 12.0)
    for _ in range(10):
        y = xp.exp(xp.maximum(t, -690.0))
        value = _series(jax, inner_a, y, 0)
        # Below exp(-690) the first term of the series is all there is.
        far = t < -690.0
        error = value - inner_p
        high, low = (
            xp.where(error > 0.0, xp.minimum(high, t), high),
            xp.where(error < 0.0, xp.maximum(low, t), low),
        )
        slope = xp.exp(inner_a * t - y - lgamma_of(inner_a))
        move = error / xp.where(slope > 0.0, slope, 1.0)
        move = move / (1.0 - 0.5 * xp.clip(move * (inner_a - y), -1.0, 1.0))
        fresh = t - xp.clip(move, -2.0, 2.0)
        fresh = xp.where((fresh > low) & (fresh < high), fresh, t)
        t = xp.where(far, first, fresh)
    y = xp.exp(t)
    edges = xp.where(p == 0.0, 0.0, xp.where(p == 1.0, xp.inf, xp.nan))
    return xp.where(good, y, xp.where((a > 0.0) & (a < xp.inf), edges, xp.nan))


def _inverse_by_a(ct: Tensor, y: Tensor, a: Tensor, p: Tensor) -> Any:
    # P(a, y) stays where it is: dP/da + density * dy/da = 0.
    positive = greater(y, 0.0)
    inner = where(positive, y, 1.0)
    density = exp((a - 1.0) * log(inner) - inner - lgamma(a))
    return where(positive, -ct * gammainc(a, inner, order=1, upper=False) / density, 0.0)


def _inverse_by_p(ct: Tensor, y: Tensor, a: Tensor, p: Tensor) -> Any:
    positive = greater(y, 0.0)
    inner = where(positive, y, 1.0)
    return where(positive, ct * exp(inner - (a - 1.0) * log(inner) + lgamma(a)), 0.0)


_numpy_inverse, _xla_inverse = _wide_both(_inverse)
gammaincinv: Primitive = Primitive(
    "gammaincinv",
    shape=broadcasting("gammaincinv"),
    numpy=_numpy_inverse,
    xla=_xla_inverse,
    vjp=(_inverse_by_a, _inverse_by_p),
    dtypes="real floating-point",
    samples=lambda rng: [
        (np.asarray([[0.7, 2.5, 9.3]]), np.asarray([[0.3], [0.8]])),
        (np.asarray(1.6), np.asarray(0.25)),
        (np.asarray([0.7, 2.5]), np.zeros((0, 1))),
    ],
)
