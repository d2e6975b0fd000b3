"""Special functions: of the normal distribution, of the gamma function, Bessel's, and x log y with its limit.

In the NumPy tier everything is computed in float64 and rounded once; SciPy is not needed. XLA has most of
these itself, after Cephes; those that it has with fewer digits, or not at all, are written once for both
tiers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from penstock.ops import error_function
from penstock.ops.pointwise import (
    between,
    direction,
    equal,
    exp,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    off,
    where,
)
from penstock.ops.random import normal_quantile, rounded
from penstock.ops.table import Kink, Primitive, Samples, broadcasting, same, widened
from penstock.trace.tensor import Tensor

_ROOT_PI = math.sqrt(math.pi)
_ROOT_2PI = math.sqrt(2.0 * math.pi)


def wide(values: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the NumPy rule of values(np, *arrays, **params): arrays are float64, the result is rounded."""

    def rule(*arrays: Any, **params: Any) -> Any:
        with np.errstate(all="ignore"):
            result = values(np, *(np.asarray(one, np.float64) for one in arrays), **params)
        return np.asarray(rounded(np.asarray(result), arrays[-1].dtype))

    return rule


def wide_in_xla(values: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the XLA rule of the same function."""

    def rule(jax: Any, *arrays: Any, **params: Any) -> Any:
        result = values(jax.numpy, *(one.astype(np.float64) for one in arrays), **params)
        return rounded(result, arrays[-1].dtype)

    return rule


def wide_in_both(values: Callable[..., Any]) -> tuple[Any, Any]:
    """Makes both rules of values(jax, *arrays, **params), where `jax` is None in NumPy."""

    def in_xla(jax: Any, *arrays: Any, **params: Any) -> Any:
        return wide_in_xla(lambda xp, *wider, **more: values(jax, *wider, **more))(jax, *arrays, **params)

    return wide(lambda xp, *arrays, **params: values(None, *arrays, **params)), in_xla


def horner(x: Any, factors: Iterable[float]) -> Any:
    """Returns the polynomial with these factors, that of the zeroth power first."""
    total: Any = 0.0
    for one in reversed([*factors]):
        total = total * x + one
    return total


def _function(name: str, numpy: Any, xla: Any, vjp: Any, samples: Samples, **more: Any) -> Primitive:
    return Primitive(
        name,
        shape=same,
        numpy=wide(numpy),
        xla=xla,
        vjp=(vjp,),
        dtypes="real floating-point",
        samples=samples,
        **more,
    )


def _each(function: Callable[[float], float]) -> Callable[[Any, Any], Any]:
    one_by_one = np.vectorize(function, otypes=[np.float64])
    return lambda xp, x: one_by_one(x)


# -- of the normal distribution ---------------------------------------------------------------------------

_erfc = _each(math.erfc)
erfc = _function(
    "erfc",
    _erfc,
    "lax.erfc",
    lambda ct, y, x: ct * exp(x * x * -1.0) * (-2.0 / _ROOT_PI),
    between((-2, 2)),
)


def _ndtri(xp: Any, p: Any) -> Any:
    # Acklam's approximation and one step of Halley's method, which leaves an error below 1e-26.
    nearer = np.minimum(p, 1.0 - p)
    inside = (nearer > 0.0) & (nearer <= 0.5)
    nearer = np.where(inside, nearer, 0.5)
    x = normal_quantile(np, nearer)
    error = (0.5 * _erfc(np, x * -math.sqrt(0.5)) - nearer) * _ROOT_2PI * np.exp(0.5 * x * x)
    x = x - error / (1.0 + 0.5 * x * error)
    x = np.where(p > 0.5, -x, x)
    return np.where(inside, x, np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, np.nan)))


def _ndtri_xla(jax: Any, p: Any) -> Any:
    return jax.scipy.special.ndtri(p.astype(np.float32) if p.dtype.itemsize < 4 else p).astype(p.dtype)


def _erfinv(xp: Any, x: Any) -> Any:
    size = np.abs(x)
    # Up to 1/2 the error function is matched, beyond it its difference from 1, so that no digit is lost.
    near = size <= 0.5
    start = normal_quantile(np, np.where(near, 0.5 + 0.5 * x, np.where(size < 1.0, 0.5 - 0.5 * size, 0.25)))
    y = np.where(near, start, -start) * math.sqrt(0.5)
    missed = np.where(near, error_function.erf(y) - x, (1.0 - size) - _erfc(np, y))
    error = missed * (0.5 * _ROOT_PI) * np.exp(y * y)
    y = y - error / (1.0 + y * error)
    y = np.where(near | (x > 0), y, -y)
    return np.where(size < 1.0, y, np.where(size == 1.0, np.copysign(np.inf, x), np.nan))


erfinv = _function(
    "erfinv",
    _erfinv,
    "lax.erf_inv",
    lambda ct, y, x: ct * exp(y * y) * (0.5 * _ROOT_PI),
    between((-0.9, 0.9)),
)
ndtri = _function(
    "ndtri",
    _ndtri,
    _ndtri_xla,
    lambda ct, y, x: ct * exp(y * y * 0.5) * _ROOT_2PI,
    between((0.05, 0.95)),
)


def _log_ndtr(xp: Any, erfc: Any, x: Any, far: float) -> Any:
    # In the tail by the asymptotic series (Abramowitz and Stegun, 26.2.12), whose terms decrease to 1e-17 at
    # -20.
    tail = xp.minimum(x, far)
    inverse = 1.0 / (tail * tail)
    series = xp.zeros_like(x)
    for k in range(10, 0, -1):
        series = -(2.0 * k - 1.0) * inverse * (1.0 + series)
    outside = -0.5 * tail * tail - xp.log(-tail) - math.log(_ROOT_2PI) + xp.log1p(series)
    half = 0.5 * erfc(xp.abs(x) * math.sqrt(0.5))
    return xp.where(x < far, outside, xp.where(x > 0.0, xp.log1p(-half), xp.log(half)))


def _log_ndtr_xla(jax: Any, x: Any) -> Any:
    narrow = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    far = -20.0 if x.dtype == np.float64 else -10.0
    return _log_ndtr(jax.numpy, jax.lax.erfc, narrow, far).astype(x.dtype)


def _log_ndtr_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Any:
    # In the tail the density and the probability are both tiny, and the difference of their logarithms has no
    # digits left: there the ratio comes from the asymptotic series.
    limit = -20.0 if x.dtype == np.float64 else -10.0
    far = less(x, limit)
    tail: Any = where(far, x, limit)
    inverse: Any = 1.0 / (tail * tail)
    series = inverse * 0.0
    for k in range(10, 0, -1):
        series = -(2.0 * k - 1.0) * inverse * (1.0 + series)
    near = where(far, 0.0, x)
    ratio = exp(near * near * -0.5 - where(far, 0.0, y)) * (1.0 / _ROOT_2PI)
    return ct * where(far, -tail / (1.0 + series), ratio)


log_ndtr = _function(
    "log_ndtr",
    lambda xp, x: _log_ndtr(np, lambda size: _erfc(np, size), x, -20.0),
    _log_ndtr_xla,
    widened("log_ndtr", _log_ndtr_vjp),
    between((-3, 3)),
)

# -- of the gamma function --------------------------------------------------------------------------------


def _lgamma_of_one(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def _gamma_of_one(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0.0 else math.nan


def _digamma_numpy(xp: Any, x: Any) -> Any:
    # Reflected to x > 0, carried to x >= 10 by psi(x) = psi(x + 1) - 1 / x, and there by the asymptotic
    # series (Abramowitz and Stegun, 6.3.7, 6.3.5 and 6.3.18).
    below = x <= 0.0
    fraction = x - np.round(x)
    z = np.where(below, 1.0 - x, x)
    total = np.zeros_like(z)
    for _ in range(10):
        small = z < 10.0
        total = total - np.where(small, 1.0 / z, 0.0)
        z = np.where(small, z + 1.0, z)
    inverse = 1.0 / (z * z)
    series = np.zeros_like(z)
    for bernoulli, k in zip(reversed(_BERNOULLI), range(2 * len(_BERNOULLI), 0, -2), strict=True):
        series = (series + bernoulli / k) * inverse
    total = total + np.log(z) - 0.5 / z - series
    reflected = np.where(fraction == 0.0, np.nan, total - math.pi / np.tan(math.pi * fraction))
    result = np.where(below, reflected, np.where(x == np.inf, np.inf, total))
    return np.where(x == 0.0, np.copysign(np.inf, -x), result)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


def _polygamma(xp: Any, x: Any, order: int) -> Any:
    """Returns the order-th derivative of digamma, for orders from 1, by Euler-Maclaurin summation."""
    # psi_n(x) = (-1)^(n + 1) n! zeta(n + 1, x); the terms of the sum are those of Hurwitz' zeta function
    # (Abramowitz and Stegun, 6.4.10, 6.4.11), and below 0 the reflection formula 6.4.7 holds.
    s = order + 1
    below = x <= 0.0
    z = xp.where(below, 1.0 - x, x)
    first = 10 + order
    total = xp.zeros_like(z)
    for k in range(first):
        total = total + (z + float(k)) ** -s
    z = z + float(first)
    total = total + z ** (1 - s) / float(s - 1) + 0.5 * z**-s
    factor, power = float(s), z ** (-s - 1)
    for j, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + (bernoulli / math.factorial(2 * j)) * factor * power
        factor *= (s + 2 * j - 1) * (s + 2 * j)
        power = power / (z * z)
    value = total * float((-1) ** (order + 1) * math.factorial(order))
    # psi_n(x) = (-1)^n psi_n(1 - x) - pi d^n/dx^n cot(pi x); the derivatives are polynomials in cot.
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(order):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0]) * math.pi
    fraction = x - xp.round(x)
    cotangent = 1.0 / xp.tan(math.pi * xp.where(fraction == 0.0, 0.25, fraction))
    slope = xp.zeros_like(x)
    for coefficient in reversed(polynomial.coef):
        slope = slope * cotangent + float(coefficient)
    pole = xp.nan if order % 2 == 0 else xp.inf
    reflected = xp.where(fraction == 0.0, pole, float((-1) ** order) * value - math.pi * slope)
    result = xp.where(below, reflected, xp.where(x == xp.inf, 0.0, value))
    return xp.where(x == -xp.inf, xp.nan, result)


def _digamma_xla(jax: Any, x: Any) -> Any:
    return jax.numpy.where(x == 0, jax.numpy.copysign(jax.numpy.inf, -x), jax.lax.digamma(x)).astype(x.dtype)


polygamma: Primitive = _function(
    "polygamma",
    _polygamma,
    wide_in_xla(_polygamma),
    lambda ct, y, x, order: ct * polygamma(x, order=order + 1),
    lambda rng: [
        (np.round(rng.uniform(0.5, 4, (2, 3)), 2), {"order": 1}),
        (np.asarray([-1.6, -0.3]), {"order": 1}),
        (np.asarray(2.5), {"order": 2}),
        (np.zeros((0, 2)), {"order": 1}),
    ],
)
digamma = _function(
    "digamma",
    _digamma_numpy,
    _digamma_xla,
    lambda ct, y, x: ct * polygamma(x, order=1),
    off((-2.0, -1.0, 0.0), -1.7, 4),
)


def _gamma_xla(jax: Any, x: Any) -> Any:
    # Computed from its logarithm, which needs more digits than float32 has.
    return rounded(jax.scipy.special.gamma(x.astype(np.float64)), x.dtype)


lgamma = _function(
    "lgamma",
    _each(_lgamma_of_one),
    "lax.lgamma",
    lambda ct, y, x: ct * digamma(x),
    off((-2.0, -1.0, 0.0), -1.7, 4),
)
gamma = _function(
    "gamma",
    _each(_gamma_of_one),
    _gamma_xla,
    lambda ct, y, x: ct * y * digamma(x),
    off((-2.0, -1.0, 0.0), -1.7, 4),
)

# -- Bessel functions -------------------------------------------------------------------------------------


def _bessel(xp: Any, x: Any, order: int, scaled: bool) -> Any:
    """Returns the modified Bessel function of the first kind, times exp(-|x|) if `scaled`."""
    size = xp.abs(x)
    near = xp.minimum(size, 30.0)
    # I_n(x) = x^n / (pi (2n - 1)!!) times the integral over 0 .. pi of exp(x cos t) sin(t)^2n (Abramowitz and
    # Stegun, 9.6.18): a sum over equal steps, whose error decreases exponentially because the integrand is
    # periodic.
    steps = 96
    total = xp.zeros_like(x)
    for k in range(steps):
        angle = math.pi * (k + 0.5) / steps
        total = total + xp.exp(near * (-2.0 * math.sin(angle / 2.0) ** 2)) * math.sin(angle) ** (2 * order)
    inside = total * near**order / (steps * math.prod(range(1, 2 * order, 2)))
    # Beyond 30 by Hankel's expansion (9.7.1).
    far = xp.maximum(size, 30.0)
    term = series = xp.ones_like(x)
    for k in range(1, 30):
        term = term * ((2.0 * k - 1.0) ** 2 - 4.0 * order * order) / (8.0 * k * far)
        series = series + term
    outside = series / xp.sqrt(2.0 * math.pi * far)
    value = xp.where(size > 30.0, outside, inside)
    if order % 2:
        value = xp.where(x < 0.0, -value, value)
    if not scaled:
        value = _unscaled(xp, value, x, order)
    return xp.where(x != x, xp.nan, value)


def _unscaled(xp: Any, value: Any, x: Any, order: int) -> Any:
    # In two halves, because exp(|x|) overflows before the product does.
    half = xp.exp(0.5 * xp.abs(x))
    return xp.where(xp.abs(x) == xp.inf, x if order % 2 else xp.abs(x), value * half * half)


def _bessel_xla(jax: Any, x: Any, order: int, scaled: bool) -> Any:
    if order > 1:
        return wide_in_xla(_bessel)(jax, x, order=order, scaled=scaled)
    enough = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    value = getattr(jax.scipy.special, f"i{order}e")(enough)
    return (value if scaled else _unscaled(jax.numpy, value, enough, order)).astype(x.dtype)


def _bessel_vjp(ct: Tensor, y: Tensor, x: Tensor, order: int, scaled: bool) -> Tensor:
    after = bessel(x, order=order + 1, scaled=scaled)
    slope: Any = (bessel(x, order=order - 1, scaled=scaled) + after) * 0.5 if order else after
    if scaled:
        slope = slope - y * direction(x)
    return ct * slope  # type: ignore[no-any-return]


bessel: Primitive = _function(
    "bessel",
    _bessel,
    _bessel_xla,
    widened("bessel", _bessel_vjp),
    lambda rng: [
        (np.asarray([[-2.3, 0.4], [1.7, 33.0]]), {"order": 0, "scaled": True}),
        (np.asarray([-1.4, 0.8, 40.0]), {"order": 1, "scaled": True}),
        (np.asarray([-1.4, 0.8]), {"order": 0, "scaled": False}),
        (np.asarray(0.7), {"order": 1, "scaled": False}),
        (np.asarray([0.7, 2.1]), {"order": 2, "scaled": False}),
        (np.zeros((0, 2)), {"order": 0, "scaled": True}),
    ],
    kinks=(
        Kink(
            at=(0.0,),
            gradients=(0.0,),
            because="exp(-|x|) turns here; the middle of the slopes 1 and -1, as sign(0) is 0",
            params={"order": 0, "scaled": True},
        ),
    ),
)

# -- x log y, and sin(x) / x ------------------------------------------------------------------------------


def _x_log(xp: Any, x: Any, y: Any, logarithm: Any) -> Any:
    nothing = (x == 0) & (y == y)
    return xp.where(nothing, xp.zeros((), x.dtype), x * logarithm(xp.where(nothing, xp.ones((), y.dtype), y)))


def _x_log_vjps(name: str, logarithm: Primitive, lowest: float) -> tuple[Any, Any]:
    def by_x(ct: Tensor, z: Tensor, x: Tensor, y: Tensor) -> Tensor:
        limit = logical_and(equal(x, 0.0), less_equal(y, lowest))
        return where(limit, 0.0, ct * logarithm(where(limit, 1.0, y)))

    def by_y(ct: Tensor, z: Tensor, x: Tensor, y: Tensor) -> Tensor:
        limit = logical_and(equal(x, 0.0), equal(y, lowest))
        return where(limit, 0.0, ct * x / (where(limit, 1.0, y) - lowest))

    return widened(name, by_x), widened(name, by_y)


_NOTHING = "where x is 0 the value is 0 for every y, and log has no value here"

xlogy = Primitive(
    "xlogy",
    shape=broadcasting("xlogy"),
    numpy=lambda x, y: _x_log(np, x, y, np.log),
    xla=lambda jax, x, y: _x_log(jax.numpy, x, y, jax.numpy.log),
    vjp=_x_log_vjps("xlogy", log, 0.0),
    dtypes="real floating-point",
    samples=between((-2, 2), (0.5, 2)),
    kinks=(Kink(at=(0.0, 0.0), gradients=(0.0, 0.0), because=_NOTHING),),
)
xlog1py = Primitive(
    "xlog1py",
    shape=broadcasting("xlog1py"),
    numpy=lambda x, y: _x_log(np, x, y, np.log1p),
    xla=lambda jax, x, y: _x_log(jax.numpy, x, y, jax.numpy.log1p),
    vjp=_x_log_vjps("xlog1py", log1p, -1.0),
    dtypes="real floating-point",
    samples=between((-2, 2), (-0.5, 2)),
    kinks=(Kink(at=(0.0, -1.0), gradients=(0.0, 0.0), because=_NOTHING),),
)


def _sinc(xp: Any, x: Any, order: int) -> Any:
    """Returns the order-th derivative of sin(pi x) / (pi x)."""
    z = math.pi * x
    near = xp.abs(z) < 3.0 + order
    small, large = xp.where(near, z, 0.0), xp.where(near, 1.0, z)
    # Near 0 by the power series; beyond by f_k = (sin_k - k f_(k-1)) / z, where the error stays small.
    series = xp.zeros_like(z)
    for m in range(20 + order, (order + 1) // 2 - 1, -1):
        k = 2 * m - order
        series = series + (-1) ** m / (math.factorial(k) * (2 * m + 1)) * small**k
    value = xp.sin(large) / large
    for k in range(1, order + 1):
        value = (xp.sin(large + k * (math.pi / 2.0)) - k * value) / large
    value = xp.where(xp.abs(z) == xp.inf, 0.0, xp.where(near, series, value))
    return value * math.pi**order


sinc: Primitive = _function(
    "sinc",
    _sinc,
    wide_in_xla(_sinc),
    lambda ct, y, x, order: ct * sinc(x, order=order + 1),
    lambda rng: [
        (np.asarray([[-2.3, 0.0, 0.4], [0.9, 1.3, 5.2]]), {"order": 0}),
        (np.asarray([0.0, 1.7]), {"order": 1}),
        (np.asarray(0.3), {"order": 0}),
        (np.zeros((0, 2)), {"order": 1}),
    ],
)
