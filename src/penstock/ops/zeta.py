"""Hurwitz' zeta function and its derivatives by the exponent, once for both tiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.ops.special import _BERNOULLI, wide_in_both
from penstock.ops.table import Primitive, broadcasting, cast
from penstock.trace.tensor import Tensor

_SHIFT = 12.0
"""From q + k = 12 + s on, the rest comes from the formula, with nine terms."""


def _times(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Returns the product of two Taylor polynomials, with the same length."""
    return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(len(a))]


def _powers(xp: Any, z: Any, exponent: Any, order: int) -> list[Any]:
    """Returns z ** -(exponent + t) as a Taylor polynomial in t."""
    value = z**-exponent
    if order == 0:
        return [value]
    logarithm = -xp.log(z)
    return [value * logarithm**k / math.factorial(k) for k in range(order + 1)]


def _zeta(jax: Any, s: Any, q: Any, order: int) -> Any:
    """Returns the order-th derivative by s of the sum of (q + k) ** -s over k = 0, 1, 2 and so on."""
    # Terms are added until q + k is large, and the rest comes from Euler and Maclaurin's formula: Abramowitz
    # and Stegun, 23.2.9 for q = 1. Everything uses Taylor polynomials in s, truncated after `order`.
    xp = np if jax is None else jax.numpy
    s, q = xp.broadcast_arrays(s, q)
    whole = xp.floor(q) == q
    # Below 0, a power of a negative number is a number if the exponent is whole.
    allowed = (s > 1.0) & ((q > 0.0) | ((xp.floor(s) == s) & ~whole & (q > -1e5) & (order == 0)))
    finite = allowed & (q < xp.inf) & (s < xp.inf)
    inner_s, inner_q = xp.where(finite, s, 2.0), xp.where(finite, q, 1.0)
    total = [xp.zeros_like(inner_q)] * (order + 1)
    enough = _SHIFT + xp.minimum(inner_s, 200.0)

    def go_on(state: Any) -> Any:
        return xp.any(state[0] < enough)

    def step(state: Any) -> Any:
        z, sums = state
        small = z < enough
        terms = _powers(xp, xp.where(small, z, 1.0), inner_s, order)
        return xp.where(small, z + 1.0, z), [
            one + xp.where(small, term, 0.0) for one, term in zip(sums, terms, strict=True)
        ]

    state = (inner_q, total)
    if jax is None:
        while go_on(state):
            state = step(state)
    else:
        state = jax.lax.while_loop(go_on, step, state)
    z, total = state

    def linear(start: float) -> list[Any]:
        return [inner_s + start, xp.ones_like(inner_s), *[xp.zeros_like(inner_s)] * order][: order + 1]

    power = _powers(xp, z, inner_s, order)
    inverse = [(-1.0) ** k / (inner_s - 1.0) ** (k + 1) for k in range(order + 1)]
    total = [
        one + z * first + 0.5 * own
        for one, first, own in zip(total, _times(power, inverse), power, strict=True)
    ]
    factor, scale = linear(0.0), 1.0 / z
    for j, bernoulli in enumerate(_BERNOULLI, 1):
        share = _times(power, factor)
        total = [
            one + bernoulli / math.factorial(2 * j) * scale * part
            for one, part in zip(total, share, strict=True)
        ]
        factor = _times(_times(factor, linear(2.0 * j - 1.0)), linear(2.0 * j))
        scale = scale / (z * z)
    value = total[order] * float(math.factorial(order))
    pole = xp.inf if order % 2 == 0 else -xp.inf
    at_pole = (s == 1.0) | (whole & (q <= 0.0) & (s > 1.0))
    value = xp.where(finite, value, xp.where(at_pole, pole, xp.nan))
    # The remaining sum where s or q is infinite.
    far = allowed & ~finite
    rest = xp.where(q == 1.0, 1.0, xp.where(q > 1.0, 0.0, xp.inf)) if order == 0 else xp.zeros_like(value)
    value = xp.where(far, xp.where(s == xp.inf, rest, 0.0), value)
    return xp.where(xp.isnan(s) | xp.isnan(q), xp.nan, value)


def in_float32(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a derivative rule of several steps compute in float32 for narrower operands, and round once."""

    def computed(ct: Tensor, y: Tensor, *operands: Tensor, **params: Any) -> Any:
        if y.dtype.itemsize >= 4:
            return rule(ct, y, *operands, **params)
        wider = [cast(one, dtype=np.dtype(np.float32)) for one in (ct, y, *operands)]
        return cast(rule(*wider, **params), dtype=y.dtype)

    return computed


@in_float32
def _by_s(ct: Tensor, y: Tensor, s: Tensor, q: Tensor, order: int) -> Any:
    return ct * zeta(s, q, order=order + 1)


@in_float32
def _by_q(ct: Tensor, y: Tensor, s: Tensor, q: Tensor, order: int) -> Any:
    # d/dq zeta(s, q) = -s zeta(s + 1, q), and the derivatives of this by s.
    slope = s * zeta(s + 1.0, q, order=order)
    if order:
        slope = slope + zeta(s + 1.0, q, order=order - 1) * float(order)
    return -ct * slope


_numpy, _xla = wide_in_both(_zeta)
zeta: Primitive = Primitive(
    "zeta",
    shape=broadcasting("zeta"),
    numpy=_numpy,
    xla=_xla,
    vjp=(_by_s, _by_q),
    dtypes="real floating-point",
    samples=lambda rng: [
        (np.asarray([[1.4, 2.5, 7.0]]), np.asarray([[0.3], [4.1]]), {"order": 0}),
        (np.asarray(2.2), np.asarray(1.0), {"order": 1}),
        (np.zeros((0, 1)), np.asarray([0.3, 4.1]), {"order": 0}),
    ],
)
