"""Functions that are integrals: Dawson's, Fresnel's two, the exponential integral and the dilogarithm.

As in ops/special.py, everything is computed in float64 and rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.ops.pointwise import cos, divide, equal, exp, log, sin, where
from penstock.ops.special import _function, horner, wide_in_xla
from penstock.ops.table import Primitive, widened
from penstock.trace.tensor import Tensor

_GAMMA = 0.57721566490153286
"""Euler's constant."""


# -- Dawson's integral ------------------------------------------------------------------------------------

_SPACING = 0.25


def _dawson(xp: Any, x: Any) -> Any:
    """Returns exp(-x^2) times the integral of exp(t^2) from 0 to x."""
    # Rybicki, Computers in Physics 3 (1989): a sum over odd multiples of a step, from the even multiple on
    # that is nearest to x.
    size = xp.minimum(xp.abs(x), 1e150)
    even = 2.0 * xp.round(0.5 * size / _SPACING)
    rest = size - even * _SPACING
    odd = np.arange(-27, 29, 2)
    heights = xp.exp(-((xp.expand_dims(rest, -1) - _SPACING * odd) ** 2))
    far = xp.sum(heights / (odd + xp.expand_dims(even, -1)), -1) / math.sqrt(math.pi)
    square = xp.minimum(size, 0.5) ** 2
    near = size * horner(square, [(-2.0) ** k / math.prod(range(1, 2 * k + 2, 2)) for k in range(18)])
    value = xp.where(size < 0.5, near, far)
    value = xp.where(xp.abs(x) > 1e100, 0.5 / size, value)
    value = xp.where(xp.abs(x) == xp.inf, 0.0, value)
    return xp.where(x != x, xp.nan, xp.where(x < 0.0, -value, value))


dawson: Primitive = _function(
    "dawson",
    _dawson,
    wide_in_xla(_dawson),
    widened("dawson", lambda ct, y, x: ct * (1.0 - 2.0 * x * y)),
    lambda rng: [
        (np.asarray([[-2.3, 0.4], [1.7, 9.0]]),),
        (np.asarray(0.0),),
        (np.zeros((0, 2)),),
    ],
)

# -- Fresnel's integrals ----------------------------------------------------------------------------------

_U = np.arange(0.0, 5.4, 1.0 / 6.0)
_WEIGHTS = np.exp(-0.5 * math.pi * _U * _U) * (math.sqrt(2.0) / (6.0 * math.pi))
_WEIGHTS[0] *= 0.5


def _fresnel(xp: Any, x: Any, of_sine: bool) -> Any:
    """Returns the integral of sin(pi t^2 / 2) from 0 to x, or that of the cosine."""
    size = xp.abs(x)
    near, far = xp.minimum(size, 1.5), xp.minimum(xp.maximum(size, 1.5), 1e150)
    # The powers of t^2 in sine or cosine, integrated.
    first = int(of_sine)
    factors = [
        (-1.0) ** k
        * (0.5 * math.pi) ** (2 * k + first)
        / (math.factorial(2 * k + first) * (4 * k + 1 + 2 * first))
        for k in range(16)
    ]
    inside = horner(near**4, factors) * near ** (1 + 2 * first)
    # The auxiliary functions (Abramowitz and Stegun, 7.3.5): integrals of exp(-pi x^2 s^2 / 2) / (1 + s^4).
    inverse = 1.0 / far
    s = xp.expand_dims(inverse, -1) * _U
    falling = _WEIGHTS / (1.0 + s**4)
    f = xp.sum(falling, -1) * inverse
    g = xp.sum(falling * s * s, -1) * inverse
    # x^2 / 2 turns, of which whole ones do not count.
    turns = 0.25 * far * far
    angle = 2.0 * math.pi * (turns - xp.floor(turns))
    sine, cosine = xp.sin(angle), xp.cos(angle)
    outside = 0.5 - f * cosine - g * sine if of_sine else 0.5 + f * sine - g * cosine
    value = xp.where(size < 1.5, inside, outside)
    return xp.where(x != x, xp.nan, xp.where(x < 0.0, -value, value))


def _fresnel_vjp(ct: Tensor, y: Tensor, x: Tensor, of_sine: bool) -> Tensor:
    angle: Any = x * x * (0.5 * math.pi)
    return ct * (sin(angle) if of_sine else cos(angle))


fresnel: Primitive = _function(
    "fresnel",
    _fresnel,
    wide_in_xla(_fresnel),
    widened("fresnel", _fresnel_vjp),
    lambda rng: [
        (np.asarray([[-2.3, 0.4], [1.7, 3.1]]), {"of_sine": True}),
        (np.asarray([-2.3, 0.0, 3.1]), {"of_sine": False}),
        (np.zeros((0, 2)), {"of_sine": True}),
    ],
)

# -- the exponential integral -----------------------------------------------------------------------------


def _expint(xp: Any, x: Any) -> Any:
    """Returns the integral of exp(t) / t up to x, for positive x."""
    near = xp.minimum(xp.maximum(x, 0.0), 40.0)
    total = near * horner(near, [1.0 / (k * math.factorial(k)) for k in range(1, 130)])
    inside = total + xp.log(xp.where(x > 0.0, near, 1.0)) + _GAMMA
    far = xp.maximum(x, 40.0)
    outside = xp.exp(far) / far * horner(1.0 / far, [float(math.factorial(k)) for k in range(40)])
    value = xp.where(x > 40.0, xp.where(x == xp.inf, xp.inf, outside), inside)
    value = xp.where(x == 0.0, -xp.inf, value)
    return xp.where((x != x) | (x < 0.0), xp.nan, value)


expint: Primitive = _function(
    "expint",
    _expint,
    wide_in_xla(_expint),
    widened("expint", lambda ct, y, x: ct * exp(x) / x),
    lambda rng: [
        (np.asarray([[2.3, 0.4], [1.7, 9.0]]),),
        (np.asarray(0.7),),
        (np.zeros((0, 2)),),
    ],
)

# -- the dilogarithm --------------------------------------------------------------------------------------

_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
)  # fmt: skip


def _spence(xp: Any, x: Any) -> Any:
    """Returns the integral of log(t) / (1 - t) from 1 to x."""
    one = 1.0
    # Large arguments are inverted, and small ones subtracted from 1.
    inverted = x > 1.5
    y = xp.where(inverted, one / xp.where(inverted, x, one), xp.where(x < 0.0, one, x))
    small = y < 0.5
    z = xp.where(small, one - y, y)
    u = 0.0 - xp.log(z)
    # The sum of B_n u^(n + 1) / (n + 1)!, in which B_1 is -1 / 2.
    factors = [b / math.factorial(2 * k + 3) for k, b in enumerate(_BERNOULLI)]
    value = u * (1.0 + u * (-0.25 + u * horner(u * u, factors)))
    whole = math.pi**2 / 6.0
    product = xp.where(y > 0.0, xp.log(xp.where(y > 0.0, y, one)) * xp.log1p(-xp.where(small, y, 0.0)), 0.0)
    value = xp.where(small, whole - product - value, value)
    logarithm = xp.log(xp.where(inverted, x, one))
    value = xp.where(inverted, -value - 0.5 * logarithm * logarithm, value)
    return xp.where((x != x) | (x < 0.0), xp.nan, value)


def _spence_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    one = equal(x, 1.0)
    return ct * where(one, -1.0, divide(log(x), 1.0 - where(one, 0.0, x)))


spence: Primitive = _function(
    "spence",
    _spence,
    wide_in_xla(_spence),
    widened("spence", _spence_vjp),
    lambda rng: [
        (np.asarray([[2.3, 0.4], [1.2, 9.0]]),),
        (np.asarray([0.7, 1.4]),),
        (np.asarray(0.1),),
        (np.zeros((0, 2)),),
    ],
)

__all__ = ["dawson", "expint", "fresnel", "spence"]
