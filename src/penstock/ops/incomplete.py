"""The incomplete gamma function, its derivatives by the shape and its inverse, once for both tiers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.ops.gamma_asymptotics import LARGE, NEAR, around, exponential, log_front, product
from penstock.ops.pointwise import equal, greater, log, where
from penstock.ops.random import normal_quantile
from penstock.ops.special import _erfc, digamma, lgamma, polygamma, wide_in_both
from penstock.ops.table import Primitive, broadcasting, widened
from penstock.trace.tensor import Tensor

_LONGEST = 100_000
"""The largest number of terms of a series; where the series is used, far fewer are enough."""


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


def _series(jax: Any, a: Any, x: Any, order: int) -> Any:
    """Returns the order-th derivative by a of P(a, x), for a > 0 and 0 < x < inf."""
    # P(a, x) = x^a exp(-x) / gamma(a + 1) (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...): Abramowitz and
    # Stegun, 6.5.29. All of it is done with Taylor polynomials in a, cut after the power `order`.
    xp, lgamma_of, slope_of, loop = _tools(jax)
    # Far above a, the difference from 1 is below exp(-70), and the sum may overflow. Near a large a it would
    # be long; `around` is used there.
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
        # From n = 2x on, each term is at most half of the previous one; until then they may still grow.
        some = (abs(terms[order]) > 1e-17 * abs(sums[order])) | (abs(terms[0]) > 1e-17 * sums[0])
        return (n < _LONGEST) & xp.any(some)

    _, _, sums = loop(go_on, step, (1.0, start, list(start)))
    exponent = [log_front(xp, lgamma_of, a, x)]
    for k in range(1, order + 1):
        own = xp.log(x) if k == 1 else 0.0
        exponent.append(own - slope_of(a + 1.0, k) / math.factorial(k))
    value = product(exponential(xp, exponent), sums)[order] * float(math.factorial(order))
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
    return xp.exp(log_front(xp, lgamma_of, a, x)) * a * state[4]


def _inside(jax: Any, a: Any, x: Any, order: int, upper: bool) -> Any:
    """Returns P(a, x), 1 - P(a, x) if `upper`, or a derivative of P by a, for a > 0 and 0 < x < inf."""
    xp, _, _, loop = _tools(jax)
    near = (a >= LARGE) & (abs(x - a) <= NEAR * a)
    erfc: Any = (lambda z: _erfc(np, z)) if jax is None else jax.lax.erfc
    # Each place uses one of three methods; the others get arguments for which they end soon.

    def expansion() -> Any:
        return around(xp, erfc, loop, xp.where(near, a, LARGE), xp.where(near, x, LARGE), order, upper)

    # Two thirds of the work, and rarely needed.
    if jax is None:
        middle = expansion() if near.any() else np.zeros_like(x)
    else:
        middle = jax.lax.cond(near.any(), expansion, lambda: xp.zeros_like(x))
    above = ~near & (x > a + 1.0) & upper
    below = ~near & ~above
    outside = _series(jax, xp.where(below, a, 1.0), xp.where(below, x, 0.25), order)
    if upper:
        rest = _fraction(jax, xp.where(above, a, 1.0), xp.where(above, x, 3.0))
        outside = xp.where(above, rest, 1.0 - outside)
    return xp.where(near, middle, outside)


def _gammainc(jax: Any, a: Any, x: Any, order: int, upper: bool) -> Any:
    assert not (order and upper)
    xp = np if jax is None else jax.numpy
    a, x = xp.broadcast_arrays(a, x)
    good = (a > 0.0) & (x > 0.0) & (x < xp.inf) & (a < xp.inf)
    value = _inside(jax, xp.where(good, a, 1.0), xp.where(good, x, 1.0), order, upper)
    at_zero, at_infinity = (1.0, 0.0) if upper else (0.0, 0.0 if order else 1.0)
    value = xp.where(x == 0.0, at_zero, xp.where(x == xp.inf, at_infinity, value))
    allowed = (a > 0.0) & (x >= 0.0) & (a < xp.inf)
    return xp.where(allowed, value, xp.nan)


def _density(jax: Any, a: Any, x: Any) -> Any:
    xp, lgamma_of, _, _ = _tools(jax)
    a, x = xp.broadcast_arrays(a, x)
    good = (a > 0.0) & (x > 0.0) & (x < xp.inf) & (a < xp.inf)
    inner_a, inner_x = xp.where(good, a, 1.0), xp.where(good, x, 1.0)
    inside = xp.exp(log_front(xp, lgamma_of, inner_a, inner_x) + xp.log(inner_a / inner_x))
    at_zero = xp.where(a == 1.0, 1.0, xp.where(a < 1.0, xp.inf, 0.0))
    edge = xp.where(x == 0.0, at_zero, 0.0)
    allowed = (a > 0.0) & (x >= 0.0) & (a < xp.inf)
    return xp.where(good, inside, xp.where(allowed, edge, xp.nan))


def _density_by_a(ct: Tensor, y: Tensor, a: Tensor, x: Tensor) -> Any:
    positive = greater(x, 0.0)
    return where(positive, ct * y * (log(where(positive, x, 1.0)) - digamma(a)), 0.0)


def _density_by_x(ct: Tensor, y: Tensor, a: Tensor, x: Tensor) -> Any:
    positive = greater(x, 0.0)
    inside = y * ((a - 1.0) / where(positive, x, 1.0) - 1.0)
    # The density's slope is the density of a - 1 minus its own, which also gives the slope at 0.
    larger = greater(a, 1.0)
    at_zero = where(larger, gamma_density(where(larger, a - 1.0, 1.0), x), 0.0) - y
    return ct * where(positive, inside, where(equal(x, 0.0), at_zero, 0.0))


_numpy_density, _xla_density = wide_in_both(_density)
# x^(a - 1) exp(-x) / gamma(a): the slope of gammainc by x.
gamma_density: Primitive = Primitive(
    "gamma_density",
    shape=broadcasting("gamma_density"),
    numpy=_numpy_density,
    xla=_xla_density,
    vjp=(_density_by_a, _density_by_x),
    dtypes="real floating-point",
    samples=lambda rng: [
        (np.asarray([[0.4, 2.5, 31.3]]), np.asarray([[0.3], [28.1]])),
        (np.zeros((0, 1)), np.asarray([0.3, 4.1])),
    ],
)


def _density_slope(a: Tensor, x: Tensor, order: int) -> Any:
    """Returns the order-th derivative by a of the gamma density at x."""
    positive = greater(x, 0.0)
    logarithm: Any = log(where(positive, x, 1.0))
    density = gamma_density(a, x)
    found = [density if not order else where(positive, density, 0.0)]
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
    slope = ct * _density_slope(a, x, order)
    return -slope if upper else slope


_numpy, _xla = wide_in_both(_gammainc)
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
        (np.asarray([131.5, 131.5, 140.0]), np.asarray([128.1, 190.0, 143.5]), {"order": 0, "upper": True}),
        (np.zeros((0, 1)), np.asarray([0.3, 4.1]), {"order": 0, "upper": True}),
    ],
)


def _inverse(jax: Any, a: Any, p: Any) -> Any:
    """Returns the y for which P(a, y) = p."""
    xp, lgamma_of, _, loop = _tools(jax)
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
    low, high = xp.full_like(t, -1e4), xp.log(inner_a + 60.0 * xp.sqrt(inner_a) + 1000.0)

    def step(state: Any) -> Any:
        i, t, low, high = state
        y = xp.exp(xp.maximum(t, -690.0))
        value = _inside(jax, inner_a, y, 0, False)
        # Below exp(-690) the first term of the series is enough.
        far = t < -690.0
        error = value - inner_p
        high, low = (
            xp.where(error > 0.0, xp.minimum(high, t), high),
            xp.where(error < 0.0, xp.maximum(low, t), low),
        )
        slope = xp.exp(log_front(xp, lgamma_of, inner_a, y)) * inner_a
        move = error / xp.where(slope > 0.0, slope, 1.0)
        move = move / (1.0 - 0.5 * xp.clip(move * (inner_a - y), -1.0, 1.0))
        fresh = t - xp.clip(move, -2.0, 2.0)
        fresh = xp.where((fresh > low) & (fresh < high), fresh, t)
        return i + 1.0, xp.where(far, first, fresh), low, high

    _, t, _, _ = loop(lambda state: state[0] < 10.0, step, (0.0, t, low, high))
    y = xp.exp(t)
    edges = xp.where(p == 0.0, 0.0, xp.where(p == 1.0, xp.inf, xp.nan))
    return xp.where(good, y, xp.where((a > 0.0) & (a < xp.inf), edges, xp.nan))


def _inverse_by_a(ct: Tensor, y: Tensor, a: Tensor, p: Tensor) -> Any:
    # P(a, y) stays constant: dP/da + density * dy/da = 0.
    positive = greater(y, 0.0)
    inner = where(positive, y, 1.0)
    slope = gammainc(a, inner, order=1, upper=False)
    return where(positive, -ct * slope / gamma_density(a, inner), 0.0)


def _inverse_by_p(ct: Tensor, y: Tensor, a: Tensor, p: Tensor) -> Any:
    positive = greater(y, 0.0)
    inner = where(positive, y, 1.0)
    return where(positive, ct / gamma_density(a, inner), 0.0)


_numpy_inverse, _xla_inverse = wide_in_both(_inverse)
gammaincinv: Primitive = Primitive(
    "gammaincinv",
    shape=broadcasting("gammaincinv"),
    numpy=_numpy_inverse,
    xla=_xla_inverse,
    vjp=(widened("gammaincinv", _inverse_by_a), widened("gammaincinv", _inverse_by_p)),
    dtypes="real floating-point",
    samples=lambda rng: [
        (np.asarray([[0.7, 2.5, 9.3]]), np.asarray([[0.3], [0.8]])),
        (np.asarray(1.6), np.asarray(0.25)),
        (np.asarray([0.7, 2.5]), np.zeros((0, 1))),
    ],
)
