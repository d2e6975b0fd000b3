"""Less common elementwise functions, under Paddle's names."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import special
from penstock.functions.composite import composite
from penstock.ops.promotion import kind_of
from penstock.paddle._convert import operand
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._math import _floating
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def _one(name: str, function: Callable[..., Any], purpose: str, smooth: bool = True) -> Callable[..., Any]:
    def plain(x: Any) -> Tensor:
        return function(x)  # type: ignore[no-any-return]

    event = composite(1, name)(plain)

    def called(x: Any, name: Any = None) -> Any:
        return event(_floating(x, _frame(1)) if smooth else operand(x))

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"Returns {purpose}, elementwise."
    return called


def _two(name: str, function: Callable[..., Any], purpose: str) -> Callable[..., Any]:
    def plain(x: Any, y: Any) -> Tensor:
        return function(x, y)  # type: ignore[no-any-return]

    event = composite(2, name)(plain)

    def called(x: Any, y: Any, name: Any = None) -> Any:
        frame = _frame(1)
        return event(_floating(x, frame), _floating(y, frame))

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"Returns {purpose}, elementwise; the operands broadcast."
    return called


acosh = _one("acosh", native.acosh, "the number whose hyperbolic cosine is x")
asinh = _one("asinh", native.asinh, "the number whose hyperbolic sine is x")
atanh = _one("atanh", native.atanh, "the number whose hyperbolic tangent is x")
log2 = _one("log2", native.log2, "the logarithm to base 2")
log10 = _one("log10", native.log10, "the logarithm to base 10")
erfinv = _one("erfinv", special.erfinv, "the number whose erf is x")
digamma = _one("digamma", special.digamma, "the slope of lgamma")
lgamma = _one("lgamma", special.lgamma, "the logarithm of the absolute value of the gamma function")
gammaln = _one("gammaln", special.lgamma, "the logarithm of the absolute value of the gamma function")
i0 = _one("i0", special.i0, "the modified Bessel function of order 0")
i0e = _one("i0e", special.i0e, "exp(-|x|) i0(x)")
i1 = _one("i1", special.i1, "the modified Bessel function of order 1")
i1e = _one("i1e", special.i1e, "exp(-|x|) i1(x)")
deg2rad = _one("deg2rad", lambda x: x * (math.pi / 180.0), "degrees as radians")
rad2deg = _one("rad2deg", lambda x: x * (180.0 / math.pi), "radians as degrees")
frac = _one("frac", lambda x: x - native.trunc(x), "the fractional part", smooth=False)
signbit = _one("signbit", native.signbit, "whether the sign is set", smooth=False)
logaddexp = _two("logaddexp", native.logaddexp, "log(exp(x) + exp(y)), without overflow")
hypot = _two("hypot", native.hypot, "sqrt(x * x + y * y)")
copysign = _two("copysign", native.copysign, "x with the sign of y")
nextafter = _two("nextafter", native.nextafter, "the number after x on the way to y")
heaviside = _two(
    "heaviside",
    lambda x, y: native.where(x == 0, y, native.where(x > 0, 1.0, 0.0).astype(y.dtype)),
    "0 below 0, 1 above it, and y where x is 0",
)


def polygamma(x: Any, n: int, name: Any = None) -> Any:
    """Returns derivative number n of digamma at x."""
    return _polygamma(_floating(x, _frame(1)), int(n))


@composite(1, "polygamma", wide=True)
def _polygamma(x: Any, n: int) -> Tensor:
    return special.polygamma(n, x)


def logit(x: Any, eps: Any = None, name: Any = None) -> Any:
    """Returns log(x / (1 - x)), of x held between eps and 1 - eps; NaN outside of 0 to 1 without eps."""
    held = eps is not None and float(eps) >= 0.0
    return _logit(_floating(x, _frame(1)), held, float(eps) if held else 0.0)


@composite(1, "logit", wide=True)
def _logit(x: Any, held: bool, eps: float) -> Tensor:
    x = native.clip(x, eps, 1.0 - eps) if held else x
    return native.log(x / (1.0 - x))


def stanh(x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: Any = None) -> Any:
    """Returns scale_b * tanh(scale_a * x)."""
    return _stanh(_floating(x, _frame(1)), float(scale_a), float(scale_b))


@composite(1, "stanh", wide=True)
def _stanh(x: Any, a: float, b: float) -> Tensor:
    return native.tanh(x * a) * b


def lerp(x: Any, y: Any, weight: Any, name: Any = None) -> Any:
    """Returns x + weight * (y - x)."""
    x, y = operand(x), operand(y)
    if isinstance(weight, int | float):
        return _lerp(x, y, float(weight))
    return _lerp_by(x, y, operand(weight))


@composite(2, "lerp", wide=True)
def _lerp(x: Any, y: Any, weight: float) -> Tensor:
    return x + (y - x) * weight  # type: ignore[no-any-return]


@composite(3, "lerp", wide=True)
def _lerp_by(x: Any, y: Any, weight: Any) -> Tensor:
    return x + (y - x) * weight  # type: ignore[no-any-return]


def nan_to_num(
    x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None, name: Any = None
) -> Any:
    """Returns x with numbers in place of NaN and infinities: the largest there are, if none is given."""
    return native.nan_to_num(operand(x), nan=nan, posinf=posinf, neginf=neginf)


# -- complex numbers ------------------------------------------------------------------------------------


def complex(real: Any, imag: Any, name: Any = None) -> Any:
    """Returns complex numbers from their real and imaginary parts."""
    parts = operand(real), operand(imag)
    if parts[0]._spec.dtype not in (np.float32, np.float64):
        raise InvalidTypeError(
            f"complex: the parts are {parts[0]._spec.dtype.name}; they must be float32 or float64.",
            site=here(),
        )
    return _complex(*parts)


@composite(2, "complex")
def _complex(real: Any, imag: Any) -> Tensor:
    wide = np.dtype(np.complex64 if real.dtype == np.float32 else np.complex128)
    return native.add(real.astype(wide), native.multiply(imag.astype(wide), 1j))


def _part(name: str, function: Callable[..., Any], of_real: Callable[..., Any], purpose: str) -> Any:
    def plain(x: Any) -> Tensor:
        return function(x) if kind_of(x.dtype) == "c" else of_real(x)  # type: ignore[no-any-return]

    event = composite(1, name)(plain)

    def called(x: Any, name: Any = None) -> Any:
        return event(operand(x))

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"Returns {purpose}, elementwise."
    return called


real = _part("real", native.real, lambda x: x + 0.0, "the real part")
imag = _part("imag", native.imag, native.zeros_like, "the imaginary part")
conj = _part("conj", native.conj, lambda x: x + 0.0, "the conjugate")
angle = _part(
    "angle",
    lambda x: native.atan2(native.imag(x), native.real(x)),
    lambda x: native.where(x < 0, float(np.pi), native.zeros_like(x)),
    "the angle of complex numbers, and pi for real ones below 0",
)


def is_complex(x: Any) -> bool:
    """Returns whether elements are complex."""
    return kind_of(operand(x)._spec.dtype) == "c"
