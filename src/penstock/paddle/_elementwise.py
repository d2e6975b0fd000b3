"""Elementwise functions built from others, and the functions that create them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import own_name
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.ops.promotion import kind_of
from penstock.paddle import _creation, _math
from penstock.paddle._convert import converted, data, operand
from penstock.paddle._declaring import method, row
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._math import floating
from penstock.paddle._tensor import forgetting, saving
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def of_one(names: str, function: Callable[..., Any], purpose: str, smooth: bool = True) -> Callable[..., Any]:
    """Declares an elementwise function of one tensor."""

    def plain(x: Any) -> Tensor:
        return function(x)  # type: ignore[no-any-return]

    word = own_name(names)
    event = composite(1, word)(plain)

    def called(x: Any, name: Any = None) -> Any:
        return event(floating(x, _frame(1), word) if smooth else operand(x))

    return row(called, names, f"Returns {purpose}, elementwise.")


def of_two(names: str, function: Callable[..., Any], purpose: str, whole: bool = False) -> Callable[..., Any]:
    """Declares an elementwise function of two tensors; with `whole`, that of whole numbers is whole."""

    def plain(x: Any, y: Any) -> Tensor:
        return function(x, y)  # type: ignore[no-any-return]

    word = own_name(names)
    event = composite(2, word)(plain)

    def called(x: Any, y: Any, name: Any = None) -> Any:
        frame = _frame(1)
        x, y = operand(x), operand(y)
        found = event(floating(x, frame, word), floating(y, frame, word))
        if whole and kind_of(x._spec.dtype) == kind_of(y._spec.dtype) == "i":
            return converted(found, x._spec.dtype, frame)
        return found

    return row(called, names, f"Returns {purpose}, elementwise; the operands broadcast.")


acosh = of_one("acosh acosh_", native.acosh, "the number whose hyperbolic cosine is x")
asinh = of_one("asinh asinh_", native.asinh, "the number whose hyperbolic sine is x")
atanh = of_one("atanh atanh_", native.atanh, "the number whose hyperbolic tangent is x")
log2 = of_one("log2 log2_", native.log2, "the logarithm to base 2")
log10 = of_one("log10 log10_", native.log10, "the logarithm to base 10")
deg2rad = of_one("deg2rad", lambda x: x * (math.pi / 180.0), "degrees as radians")
rad2deg = of_one("rad2deg", lambda x: x * (180.0 / math.pi), "radians as degrees")
frac = of_one("frac frac_", lambda x: x - native.trunc(x), "the fractional part", smooth=False)
signbit = of_one("signbit", native.signbit, "whether the sign is set", smooth=False)
logaddexp = of_two("logaddexp", native.logaddexp, "log(exp(x) + exp(y)), without overflow")
hypot = of_two("hypot hypot_", native.hypot, "sqrt(x * x + y * y)")
copysign = of_two("copysign copysign_", native.copysign, "x with the sign of y", True)
nextafter = of_two(
    "nextafter",
    lambda x, y: native.nextafter(pointwise.stop_gradient(x), pointwise.stop_gradient(y)),
    "the next number after x in the direction of y",
)
heaviside = of_two(
    "heaviside",
    lambda x, y: native.where(x == 0, y, (pointwise.direction(x).astype(y.dtype) + 1.0) * 0.5),
    "0 below 0, 1 above it, and y where x is 0",
    whole=True,
)


@method
def stanh(x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: Any = None) -> Any:
    """Returns scale_b * tanh(scale_a * x)."""
    x = floating(x, _frame(1), "tanh")
    return saving(_stanh(x, float(scale_a), float(scale_b)), _frame(1), x)


@composite(1, "stanh", wide=True)
def _stanh(x: Any, a: float, b: float) -> Tensor:
    return native.tanh(x * a) * b


@method("lerp_")
def lerp(x: Any, y: Any, weight: Any, name: Any = None) -> Any:
    """Returns x + weight * (y - x); the weight gets no gradient, as in Paddle."""
    x, y = operand(x), operand(y)
    if isinstance(weight, int | float):
        return _lerp(x, y, float(weight))
    return _lerp_by(x, y, operand(weight))


@composite(2, "lerp", wide=True)
def _lerp(x: Any, y: Any, weight: float) -> Tensor:
    return x + (y - x) * weight  # type: ignore[no-any-return]


@composite(3, "lerp", wide=True)
def _lerp_by(x: Any, y: Any, weight: Any) -> Tensor:
    return x + (y - x) * pointwise.stop_gradient(weight)  # type: ignore[no-any-return]


@method("nan_to_num_")
def nan_to_num(
    x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None, name: Any = None
) -> Any:
    """Returns x with numbers in place of NaN and infinities: the largest there are, if none is given."""
    return native.nan_to_num(operand(x), nan=nan, posinf=posinf, neginf=neginf)


def _whole(names: str, function: Any, purpose: str) -> Any:
    word = own_name(names)

    def called(x: Any, y: Any, name: Any = None) -> Any:
        x, y = operand(x), operand(y)
        for one in (x, y):
            if one._spec.dtype.kind not in "iu":
                raise InvalidValueError(f"{word} is for integers, not {one._spec.dtype.name}.", site=here())
        return data(np.asarray(function(np.asarray(x), np.asarray(y))))

    return row(called, names, f"Returns {purpose} of integers, elementwise.")


gcd = _whole("gcd gcd_", np.gcd, "the greatest common divisor")
lcm = _whole("lcm lcm_", np.lcm, "the least common multiple")


@method("ldexp_")
def ldexp(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x times 2 to the power of y."""
    x, y = given = operand(x), operand(y)
    kind = "float64" if "float64" in (x._spec.dtype.name, y._spec.dtype.name) else "float32"
    x, y = _math.cast(x, kind), _math.cast(y, kind)
    return saving(x * _math.pow(_creation.full_like(y, 2.0), y), user_frame(1), *given)


@method
def frexp(x: Any, name: Any = None) -> Any:
    """Returns numbers as a fraction from 0.5 on, times 2 to the power of a whole number; values are read."""
    x = operand(x)
    exponent, one = np.frexp(np.asarray(x))[1], x._spec.dtype.type(1)
    # In two steps: one power of 2 that undoes the smallest exponents would overflow.
    half = exponent // 2
    fraction = x * data(np.ldexp(one, -half)) * data(np.ldexp(one, half - exponent))
    saving(fraction, user_frame(1), x)
    return fraction, forgetting(x, data(exponent.astype(x._spec.dtype)), user_frame(1))


@method
def isneginf(x: Any, name: Any = None) -> Any:
    """Returns whether x is minus infinity, elementwise."""
    return _math.equal(operand(x), -math.inf)


@method
def isposinf(x: Any, name: Any = None) -> Any:
    """Returns whether x is plus infinity, elementwise."""
    return _math.equal(operand(x), math.inf)


@method
def positive(x: Any, name: Any = None) -> Any:
    """Returns x."""
    return operand(x)


@method("renorm_")
def renorm(x: Any, p: float, axis: int, max_norm: float) -> Any:
    """Returns x whose parts along an axis are made smaller where their p-norm is above `max_norm`."""
    x = operand(x)
    others = [one for one in range(x._spec.ndim) if one != axis % x._spec.ndim]
    norms = _math.norm_of_vectors(x, p, tuple(others), True)
    return x * _math.where(norms > max_norm, max_norm / (norms + 1e-7), _creation.ones_like(norms))
