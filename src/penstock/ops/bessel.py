"""Bessel functions of orders 0 and 1: J and Y, which oscillate, and the modified K, which decays.

Near zero they are power series. Elsewhere they are integrals along the path of steepest descent, whose
integrand decreases like a normal density: a sum over equal steps has all digits. As in ops/special.py,
everything is computed in float64 and rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.ops.pointwise import divide, equal, where
from penstock.ops.special import _function, horner, wide_in_xla
from penstock.ops.table import Primitive, widened
from penstock.trace.tensor import Tensor

_GAMMA = 0.57721566490153286
"""Euler's constant."""
_NEAR = 2.0
"""Up to here the power series are used."""
_STEP, _STEPS = 0.2, np.arange(-60, 61)
_TERMS = range(16)


def _harmonic(k: int) -> float:
    return math.fsum(1.0 / n for n in range(1, k + 1))


def _series(xp: Any, x: Any, order: int, sign: float) -> tuple[Any, Any]:
    """Returns J (for sign -1) or I (for 1) near zero, and the series beside its logarithm in Y or K."""
    quarter, half = 0.25 * x * x, 0.5 * x
    weights = [sign**k / (math.factorial(k) * math.factorial(k + order)) for k in _TERMS]
    first = horner(quarter, weights) * half**order
    # The slopes of the logarithm of the gamma function at k + 1 and at k + 1 + order.
    slopes = [_harmonic(k) + _harmonic(k + order) - 2.0 * _GAMMA for k in _TERMS]
    second = horner(quarter, [w * s for w, s in zip(weights, slopes, strict=True)]) * half**order
    return first, second


def _logarithm(xp: Any, x: Any) -> Any:
    return xp.log(0.5 * xp.where(x > 0.0, x, 1.0))


def _oscillating(xp: Any, x: Any, order: int) -> tuple[Any, Any]:
    """Returns J and Y of an order for x from 2 on.

    Both are parts of Hankel's function, the integral of exp(i x cosh t - order t) over t = u + i gd(u), on
    which x cosh t has the imaginary part 1 throughout.
    """
    root = xp.sqrt(x)
    u = xp.expand_dims(1.0 / root, -1) * (_STEP * _STEPS)
    high = xp.cosh(u)
    fall, low = xp.sinh(u) * xp.tanh(u), 1.0 / high
    density = xp.exp(-xp.expand_dims(x, -1) * fall)
    scale = _STEP / (math.pi * root)
    if order:
        cosine = -scale * xp.sum(density * (1.0 - fall * low), -1)
        sine = scale * xp.sum(density * (fall + low), -1)
    else:
        cosine, sine = scale * xp.sum(density * low, -1), scale * xp.sum(density, -1)
    turned, straight = xp.cos(x), xp.sin(x)
    return cosine * turned + sine * straight, cosine * straight - sine * turned


def _of_sine(xp: Any, x: Any, order: int, second: bool) -> Any:
    size = xp.abs(x)
    far, near = xp.minimum(xp.maximum(size, _NEAR), 1e300), xp.minimum(size, _NEAR)
    inside, beside = _series(xp, near, order, -1.0)
    if second:
        inside = (2.0 * _logarithm(xp, near) * inside - beside) / math.pi
        inside = inside - 2.0 / (math.pi * xp.where(x > 0.0, near, 1.0)) if order else inside
    value = xp.where(size > _NEAR, _oscillating(xp, far, order)[int(second)], inside)
    value = xp.where(size == xp.inf, 0.0, value)
    if second:
        value = xp.where(x <= 0.0, -xp.inf, value)
    elif order:
        value = xp.where(x < 0.0, -value, value)
    return xp.where(x != x, xp.nan, value)


def _bessel_k(xp: Any, x: Any, order: int, scaled: bool) -> Any:
    far, near = xp.minimum(xp.maximum(x, _NEAR), 1e300), xp.minimum(xp.maximum(x, 0.0), _NEAR)
    inside, beside = _series(xp, near, order, 1.0)
    logarithm = _logarithm(xp, near)
    if order:
        inside = logarithm * inside - 0.5 * beside + 1.0 / xp.where(x > 0.0, near, 1.0)
    else:
        inside = 0.5 * beside - logarithm * inside
    # The integral of exp(-x cosh t) cosh(order t) over t > 0 (Watson, 1922, section 6.22).
    root = xp.sqrt(far)
    u = xp.expand_dims(1.0 / root, -1) * (_STEP * _STEPS)
    half = xp.sinh(0.5 * u)
    density = xp.exp(-2.0 * xp.expand_dims(far, -1) * half * half)
    outside = xp.sum(density * xp.cosh(u) if order else density, -1) * (0.5 * _STEP) / root
    if scaled:
        inside = inside * xp.exp(near)
    else:
        outside = outside * xp.exp(-far)
    value = xp.where(x > _NEAR, outside, inside)
    value = xp.where(x == xp.inf, 0.0, xp.where(x <= 0.0, xp.inf, value))
    return xp.where(x != x, xp.nan, value)


def _first(xp: Any, x: Any, order: int) -> Any:
    return _of_sine(xp, x, order, second=False)


def _second(xp: Any, x: Any, order: int) -> Any:
    return _of_sine(xp, x, order, second=True)


def _first_vjp(ct: Tensor, y: Tensor, x: Tensor, order: int) -> Tensor:
    if not order:
        return -(ct * bessel_j(x, order=1))
    nothing = equal(x, 0.0)
    share = where(nothing, 0.5, divide(y, where(nothing, 1.0, x)))
    return ct * (bessel_j(x, order=0) - share)


def _second_vjp(ct: Tensor, y: Tensor, x: Tensor, order: int) -> Tensor:
    return ct * (bessel_y(x, order=0) - y / x) if order else -(ct * bessel_y(x, order=1))


def _k_vjp(ct: Tensor, y: Tensor, x: Tensor, order: int, scaled: bool) -> Tensor:
    other: Any = bessel_k(x, order=1 - order, scaled=scaled)
    slope = -(other + y / x) if order else -other
    return ct * (slope + y) if scaled else ct * slope  # type: ignore[no-any-return]


bessel_j: Primitive = _function(
    "bessel_j",
    _first,
    wide_in_xla(_first),
    widened("bessel_j", _first_vjp),
    lambda rng: [
        (np.asarray([[-2.3, 0.4], [1.7, 33.0]]), {"order": 0}),
        (np.asarray([-1.4, 0.0, 40.0]), {"order": 1}),
        (np.asarray(0.7), {"order": 1}),
        (np.zeros((0, 2)), {"order": 0}),
    ],
)
bessel_y: Primitive = _function(
    "bessel_y",
    _second,
    wide_in_xla(_second),
    widened("bessel_y", _second_vjp),
    lambda rng: [
        (np.asarray([[2.3, 0.4], [1.7, 33.0]]), {"order": 0}),
        (np.asarray([1.4, 0.3, 40.0]), {"order": 1}),
        (np.zeros((0, 2)), {"order": 0}),
    ],
)
bessel_k: Primitive = _function(
    "bessel_k",
    _bessel_k,
    wide_in_xla(_bessel_k),
    widened("bessel_k", _k_vjp),
    lambda rng: [
        (np.asarray([[2.3, 0.4], [1.7, 33.0]]), {"order": 0, "scaled": True}),
        (np.asarray([1.4, 0.8, 40.0]), {"order": 1, "scaled": True}),
        (np.asarray([1.4, 0.8]), {"order": 0, "scaled": False}),
        (np.asarray(2.7), {"order": 1, "scaled": False}),
        (np.zeros((0, 2)), {"order": 0, "scaled": True}),
    ],
)

__all__ = ["bessel_j", "bessel_k", "bessel_y"]
