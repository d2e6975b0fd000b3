"""Less common elementwise functions, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from penstock.declared import named, own_name, row
from penstock.functions import array as native
from penstock.functions import special
from penstock.functions.composite import composite
from penstock.ops import bessel, integrals
from penstock.ops.promotion import kind_of
from penstock.tensorflow._convert import operand, same_dtype, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elementwise import cast, composed
from penstock.tensorflow._errors import FLOATING, CallableError, refused_dtype
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _one(names: str, function: Callable[..., Any], purpose: str) -> Callable[..., EagerTensor]:
    def plain(x: Any) -> Tensor:
        return function(x)  # type: ignore[no-any-return]

    event = composite(1, own_name(names))(plain)

    def called(x: Any, name: Any = None) -> EagerTensor:
        return composed(event, called.__name__, (operand(x),))

    return row(called, names, f"Returns {purpose}, elementwise.")


def _two(names: str, function: Callable[..., Any], purpose: str) -> Callable[..., EagerTensor]:
    def plain(x: Any, y: Any) -> Tensor:
        return function(x, y)  # type: ignore[no-any-return]

    event = composite(2, own_name(names))(plain)

    def called(x: Any, y: Any, name: Any = None) -> EagerTensor:
        return composed(event, called.__name__, tuple(same_dtype((x, y), called.__name__)))

    return row(called, names, f"Returns {purpose}, elementwise; the operands broadcast.")


def _whole_too(
    names: str, function: Callable[..., Any], purpose: str, operands: int = 1
) -> Callable[..., EagerTensor]:
    """Makes a function that takes whole numbers as well."""
    if operands == 1:

        def single(x: Any) -> Tensor:
            return function(x)  # type: ignore[no-any-return]

        event: Any = composite(1, own_name(names))(single)
    else:

        def double(x: Any, y: Any) -> Tensor:
            return function(x, y)  # type: ignore[no-any-return]

        event = composite(2, own_name(names))(double)

    def called(*operands_and_name: Any, name: Any = None) -> EagerTensor:
        given = operands_and_name[:operands]
        return event(*same_dtype(given, called.__name__))  # type: ignore[no-any-return]

    return row(called, names, f"Returns {purpose}, elementwise.")


acos = _one("tf.acos tf.math.acos", native.acos, "the angle whose cosine is x")
acosh = _one("tf.acosh tf.math.acosh", native.acosh, "the number whose hyperbolic cosine is x")
asin = _one("tf.asin tf.math.asin", native.asin, "the angle whose sine is x")
asinh = _one("tf.asinh tf.math.asinh", native.asinh, "the number whose hyperbolic sine is x")
atan = _one("tf.atan tf.math.atan", native.atan, "the angle whose tangent is x")
atanh = _one("tf.atanh tf.math.atanh", native.atanh, "the number whose hyperbolic tangent is x")
cosh = _one("tf.cosh tf.math.cosh", native.cosh, "the hyperbolic cosine")
sinh = _one("tf.sinh tf.math.sinh", native.sinh, "the hyperbolic sine")
rint = _one(
    "tf.math.rint tf.compat.v1.rint",
    native.round,
    "the nearest whole number, of two equally near the even one",
)
erf = _one("tf.math.erf tf.compat.v1.erf", special.erf, "the error function")
erfc = _one("tf.math.erfc tf.compat.v1.erfc", special.erfc, "1 - erf(x)")
erfinv = _one("tf.math.erfinv", special.erfinv, "the number whose erf is x")
erfcinv = _one("tf.math.erfcinv", lambda x: special.erfinv(1.0 - x), "the number whose erfc is x")
ndtri = _one("tf.math.ndtri", special.ndtri, "the quantile of the normal distribution at x")
lgamma = _one(
    "tf.math.lgamma tf.compat.v1.lgamma",
    special.lgamma,
    "the logarithm of the absolute value of the gamma function",
)
digamma = _one("tf.math.digamma tf.compat.v1.digamma", special.digamma, "the slope of lgamma")


for _order in (0, 1):
    for _kind, _ending, _rule, _more, _purpose in (
        ("j", "", bessel.bessel_j, {}, "the Bessel function J"),
        ("y", "", bessel.bessel_y, {}, "the Bessel function Y"),
        ("k", "", bessel.bessel_k, {"scaled": False}, "the modified Bessel function K"),
        ("k", "e", bessel.bessel_k, {"scaled": True}, "exp(x) times the modified Bessel function K"),
    ):
        _word = f"bessel_{_kind}{_order}{_ending}"
        globals()[_word] = _one(
            f"tf.math.special.{_word}", partial(_rule, order=_order, **_more), f"{_purpose} of order {_order}"
        )
dawsn = _one(
    "tf.math.special.dawsn", integrals.dawson, "exp(-x^2) times the integral of exp(t^2) from 0 to x"
)
expint = _one(
    "tf.math.special.expint", integrals.expint, "the integral of exp(t) / t up to x, which is positive"
)
fresnel_cos = _one(
    "tf.math.special.fresnel_cos",
    partial(integrals.fresnel, of_sine=False),
    "the integral of cos(pi t^2 / 2) from 0 to x",
)
fresnel_sin = _one(
    "tf.math.special.fresnel_sin",
    partial(integrals.fresnel, of_sine=True),
    "the integral of sin(pi t^2 / 2) from 0 to x",
)
spence = _one("tf.math.special.spence", integrals.spence, "the integral of log(t) / (1 - t) from 1 to x")
bessel_i0 = _one(
    "tf.math.bessel_i0 tf.math.special.bessel_i0", special.i0, "the modified Bessel function of order 0"
)
bessel_i0e = _one("tf.math.bessel_i0e tf.math.special.bessel_i0e", special.i0e, "exp(-|x|) bessel_i0(x)")
bessel_i1 = _one(
    "tf.math.bessel_i1 tf.math.special.bessel_i1", special.i1, "the modified Bessel function of order 1"
)
bessel_i1e = _one("tf.math.bessel_i1e tf.math.special.bessel_i1e", special.i1e, "exp(-|x|) bessel_i1(x)")
reciprocal_no_nan = _one(
    "tf.math.reciprocal_no_nan",
    lambda x: native.where(x == 0, 0.0, 1.0 / native.where(x == 0, 1.0, x)),
    "1 / x, and 0 where x is 0",
)
igamma = _two(
    "tf.math.igamma tf.compat.v1.igamma",
    special.gammainc,
    "the lower regularised incomplete gamma function of a and x",
)
igammac = _two("tf.math.igammac tf.compat.v1.igammac", special.gammaincc, "1 - igamma(a, x)")
xlogy = _two("tf.math.xlogy", special.xlogy, "x log(y), and 0 where x is 0")
xlog1py = _two("tf.math.xlog1py", special.xlog1py, "x log(1 + y), and 0 where x is 0")
xdivy = _two(
    "tf.math.xdivy",
    lambda x, y: native.where(x == 0, 0.0, x / native.where(x == 0, 1.0, y)),
    "x / y, and 0 where x is 0",
)
multiply_no_nan = _two(
    "tf.math.multiply_no_nan",
    lambda x, y: native.where(y == 0, 0.0, native.where(y == 0, 0.0, x) * y),
    "x y, and 0 where y is 0, whatever x is",
)
zeta = _two(
    "tf.math.zeta tf.compat.v1.zeta",
    # TensorFlow has no gradient for x.
    lambda x, q: special.zeta(native.stop_gradient(x), q),
    "the Hurwitz zeta function",
)
nextafter = _two("tf.math.nextafter", native.nextafter, "the next number after x in the direction of y")
truncatemod = _whole_too(
    "tf.truncatemod", lambda x, y: x - native.trunc(x / y).astype(x.dtype) * y, "what truncatediv leaves", 2
)
truncatediv = _whole_too(
    "tf.truncatediv", lambda x, y: native.trunc(x / y).astype(x.dtype), "x / y rounded towards 0", 2
)


@named("tf.math.polygamma", "tf.compat.v1.polygamma")
def polygamma(a: Any, x: Any, name: Any = None) -> EagerTensor:
    """Returns derivative number a of digamma at x; a is a whole number that all elements share."""
    order = {float(one) for one in np.asarray(operand(a)).reshape(-1)}
    if len(order) != 1 or not next(iter(order)).is_integer():
        raise refused_dtype(np.dtype(np.float32), "one whole number for all elements", site=here())
    return composed(_polygamma, "polygamma", (operand(x),), n=int(order.pop()))


@composite(1, "polygamma")
def _polygamma(x: Any, n: int) -> Tensor:
    return special.polygamma(n, x)


@composite(3, "betainc")
def _betainc(a: Any, b: Any, x: Any) -> Tensor:
    # TensorFlow has no gradients for a and b.
    return special.betainc(native.stop_gradient(a), native.stop_gradient(b), x)


@named("tf.math.betainc", "tf.compat.v1.betainc")
def betainc(a: Any, b: Any, x: Any, name: Any = None) -> EagerTensor:
    """Returns the regularised incomplete beta function."""
    return composed(_betainc, "betainc", tuple(same_dtype((a, b, x), "Betainc")))


@composite(1, "lbeta", wide=True)
def _lbeta(x: Any) -> Tensor:
    return native.sum(special.lgamma(x), axis=-1) - special.lgamma(native.sum(x, axis=-1))


@named("tf.math.lbeta", "tf.compat.v1.lbeta")
def lbeta(x: Any, name: Any = None) -> EagerTensor:
    """Returns the logarithm of the absolute value of the beta function of the numbers on the last axis.

    >>> from penstock import tensorflow as tf
    >>> print(f"{tf.math.lbeta([1.0, 3.0]).numpy():.4f}")
    -1.0986
    """
    x = operand(x)
    if x._spec.dtype.kind not in "fV":
        raise refused_dtype(x._spec.dtype, FLOATING, site=here())
    return _lbeta(x)  # type: ignore[return-value]


@named("tf.math.polyval")
def polyval(coeffs: Any, x: Any, name: Any = None) -> EagerTensor:
    """Returns the polynomial with these coefficients, that of the highest power first, at x.

    >>> from penstock import tensorflow as tf
    >>> print(tf.math.polyval([1.0, 0.0, 2.0], 3.0).numpy())
    11.0
    """
    x = tensor_of(x)
    found: Any = tensor_of(np.zeros((), x._spec.dtype))
    for one in coeffs:
        found = found * x + one
    return found  # type: ignore[no-any-return]


@named("tf.scalar_mul", "tf.math.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: Any = None) -> Any:
    """Returns a number times x."""
    return tensor_of(scalar, operand(x)._spec.dtype) * x


@named("tf.saturate_cast", "tf.dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor in another dtype; what that does not hold becomes the nearest that it does."""
    value, wanted = tensor_of(value), numpy_dtype(dtype)
    if kind_of(value._spec.dtype) == "c":
        value = real(value)
    if wanted.kind in "iu" and value._spec.dtype.kind in "fiuV":
        limits = np.iinfo(wanted)
        own = value._spec.dtype
        low, high = limits.min, limits.max
        if own.kind in "iu":
            low, high = max(low, np.iinfo(own).min), min(high, np.iinfo(own).max)
        elif own.itemsize < wanted.itemsize or own.itemsize == 4:
            high = int(np.nextafter(np.float32(high), np.float32(0))) if wanted.itemsize >= 4 else high
        value = composed_clip(value, low, high)
    return cast(value, wanted)  # type: ignore[no-any-return]


def composed_clip(value: Any, low: Any, high: Any) -> EagerTensor:
    """Returns a tensor held between two numbers."""
    return native.clip(value, low, high)  # type: ignore[return-value]


# -- complex numbers ------------------------------------------------------------------------------------


@named("tf.complex", "tf.dtypes.complex")
def complex(real: Any, imag: Any, name: Any = None) -> EagerTensor:
    """Returns complex numbers from their real and imaginary parts, both float32 or both float64."""
    parts = same_dtype((real, imag), "Complex")
    own = parts[0]._spec.dtype
    if own not in (np.float32, np.float64):
        kinds = " ".join(one._spec.dtype.name for one in parts)
        raise CallableError(
            f"The `real` and `imag` components have incorrect types: {kinds}. They must be consistent, and "
            "one of [tf.float32, tf.float64]",
            site=here(),
        )
    return composed(_complex, "complex", tuple(parts))


@composite(2, "complex")
def _complex(real: Any, imag: Any) -> Tensor:
    wide = np.dtype(np.complex64 if real.dtype == np.float32 else np.complex128)
    return native.add(real.astype(wide), native.multiply(imag.astype(wide), 1j))


@named("tf.math.real", "tf.compat.v1.real")
def real(input: Any, name: Any = None) -> EagerTensor:
    """Returns the real part; a real tensor as it is."""
    x = tensor_of(input)
    return native.real(x) if kind_of(x._spec.dtype) == "c" else x  # type: ignore[return-value]


@named("tf.math.imag", "tf.compat.v1.imag")
def imag(input: Any, name: Any = None) -> EagerTensor:
    """Returns the imaginary part; zeros of a real tensor."""
    x = tensor_of(input)
    if kind_of(x._spec.dtype) == "c":
        return native.imag(x)  # type: ignore[return-value]
    return tensor_of(np.zeros(x._spec.shape, x._spec.dtype))


@named("tf.math.conj", "tf.compat.v1.conj")
def conj(x: Any, name: Any = None) -> EagerTensor:
    """Returns the conjugate; a real tensor as it is."""
    x = tensor_of(x)
    return native.conj(x) if kind_of(x._spec.dtype) == "c" else x  # type: ignore[return-value]


@named("tf.math.angle", "tf.compat.v1.angle")
def angle(input: Any, name: Any = None) -> EagerTensor:
    """Returns the angle of complex numbers, and of real ones 0, or pi for those below 0."""
    x = tensor_of(input)
    if kind_of(x._spec.dtype) == "c":
        return native.atan2(native.imag(x), native.real(x))  # type: ignore[return-value]
    if kind_of(x._spec.dtype) != "f":
        raise refused_dtype(x._spec.dtype, FLOATING, site=here())
    return native.where(x < 0, float(np.pi), native.zeros_like(x))  # type: ignore[return-value]
