"""Functions of keras.ops that work element by element."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _elementwise,
)
from penstock.tensorflow import (
    math as _math,
)
from penstock.tensorflow.keras._ops.base import _given, _pair, _public, _real
from penstock.tensorflow.keras._ops.shapes import nonzero

_REAL = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctanh": "atanh", "cos": "cos", "cosh": "cosh", "exp": "exp", "expm1": "expm1", "log": "log",
    "log10": "log10", "log1p": "log1p", "log2": "log2", "reciprocal": "reciprocal", "rsqrt": "rsqrt",
    "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh", "erf": "erf",
    "ceil": "ceil", "floor": "floor",
}  # fmt: skip
_SAME = {
    "abs": "abs", "absolute": "abs", "negative": "negative", "square": "square",
    "conj": "conj", "conjugate": "conj", "isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan",
    "trunc": "trunc", "signbit": "signbit", "real": "real", "imag": "imag",
}  # fmt: skip
_BINARY = {
    "add": "add", "subtract": "subtract", "multiply": "multiply",
    "equal": "equal", "not_equal": "not_equal", "greater": "greater", "greater_equal": "greater_equal",
    "less": "less", "less_equal": "less_equal", "mod": "remainder",
    "power": "pow",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift",
    "bitwise_left_shift": "bitwise_left_shift", "bitwise_right_shift": "bitwise_right_shift",
}  # fmt: skip
_REAL_BINARY = {
    "divide": "divide", "true_divide": "divide", "arctan2": "atan2", "nextafter": "nextafter",
}  # fmt: skip
_TRUTHS = {"logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor"}
_NETWORKS = (
    "elu", "gelu", "leaky_relu", "log_sigmoid", "log_softmax", "relu", "relu6", "selu", "sigmoid", "silu",
    "softmax", "softplus", "softsign", "swish", "celu", "hard_sigmoid", "hard_silu", "hard_swish",
    "hard_tanh", "hard_shrink", "soft_shrink", "tanh_shrink", "squareplus", "glu", "sparse_plus",
    "sparse_sigmoid", "sparsemax", "threshold",
)  # fmt: skip


def _unary(name: str, native: str, prepared: _Callable[[Any], Any]) -> None:
    function = getattr(_ps, native)

    def apply(x: Any) -> Any:
        return function(prepared(x))

    apply.__doc__ = f"Returns {native}(x), element by element: see penstock.{native}."
    _public(apply, name)


def _binary(name: str, native: str, prepared: _Callable[[Any], Any] | None) -> None:
    function = getattr(_ps, native)

    def apply(x1: Any, x2: Any) -> Any:
        x, y = _pair(x1, x2)
        return function(x, y) if prepared is None else function(prepared(x), prepared(y))

    apply.__doc__ = f"Returns {native}(x1, x2), element by element: see penstock.{native}."
    _public(apply, name)


def _truth(x: Any) -> Any:
    return _given(x, "bool")


for _name, _native in _REAL.items():
    _unary(_name, _native, _real)
for _name, _native in _SAME.items():
    _unary(_name, _native, _given)
for _name, _native in _BINARY.items():
    _binary(_name, _native, None)
for _name, _native in _REAL_BINARY.items():
    _binary(_name, _native, _real)
for _name, _native in _TRUTHS.items():
    _binary(_name, _native, _truth)
_unary("logical_not", "logical_not", _truth)
for _name in ("bitwise_not", "bitwise_invert"):
    _unary(_name, "bitwise_invert", _given)


def _of_tensorflow(name: str, purpose: str) -> None:
    """Makes a function whose gradient at ties, or at a jump, is TensorFlow's."""
    function = getattr(_elementwise, name)

    def one(x: Any) -> Any:
        return function(_given(x))

    def two(x1: Any, x2: Any) -> Any:
        return function(*_pair(x1, x2))

    apply: Any = one if name == "sign" else two
    apply.__doc__ = f"Returns {purpose}."
    _public(apply, name)


_of_tensorflow("maximum", "the larger of two elements")
_of_tensorflow("minimum", "the smaller of two elements")
_of_tensorflow("sign", "-1, 0 or 1 for each element")


@_public
def hypot(x1: Any, x2: Any) -> Any:
    """Returns the square root of x1 ** 2 + x2 ** 2."""
    x, y = (_ps.abs(_real(one)) for one in _pair(x1, x2))
    large, small = _elementwise.maximum(x, y), _elementwise.minimum(x, y)
    return large * _ps.sqrt(1.0 + _math.divide_no_nan(small, large) ** 2)


@_public
def logaddexp(x1: Any, x2: Any) -> Any:
    """Returns the logarithm of exp(x1) + exp(x2)."""
    x, y = (_real(one) for one in _pair(x1, x2))
    apart = x - y
    made = _elementwise.maximum(x, y) + _ps.log1p(_ps.exp(-_ps.abs(apart)))
    return _ps.where(_ps.isnan(apart), x + y, made)


@_public
def floor_divide(x1: Any, x2: Any) -> Any:
    """Returns x1 / x2 rounded down: of fractions, the quotient as it is rounded first."""
    x, y = _pair(x1, x2)
    return _ps.floor(x / y) if x._spec.dtype.kind in "fV" else _ps.floor_divide(x, y)


@_public
def cbrt(x: Any) -> Any:
    """Returns the cube root of each element."""
    x = _real(x)
    return _ps.sign(x) * _ps.pow(_ps.abs(x), 1.0 / 3.0)


@_public
def exp2(x: Any) -> Any:
    """Returns 2 to the power of each element."""
    return _ps.exp(_real(x) * float(_np.log(2.0)))


@_public
def deg2rad(x: Any) -> Any:
    """Returns degrees as radians."""
    return _real(x) * float(_np.pi / 180)


@_public
def rad2deg(x: Any) -> Any:
    """Returns radians as degrees."""
    return _real(x) * float(180 / _np.pi)


@_public
def sinc(x: Any) -> Any:
    """Returns sin(pi x) / (pi x), and 1 at 0."""
    x = _real(x) * float(_np.pi)
    there = _ps.equal(x, 0.0)
    kept = _ps.where(there, 1.0, x)
    return _ps.where(there, 1.0, _ps.sin(kept) / kept)


@_public
def fabs(x: Any) -> Any:
    """Returns the magnitude of each element, with a fraction."""
    return _ps.abs(_real(x))


@_public
def heaviside(x1: Any, x2: Any) -> Any:
    """Returns 0 where x1 is negative, 1 where it is positive, and x2 at 0."""
    x, y = _pair(x1, x2)
    x, y = _real(x), _real(y)
    return _ps.where(_ps.less(x, 0.0), 0.0, _ps.where(_ps.equal(x, 0.0), y, 1.0))


@_public
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Returns the logarithm to base 2 of 2 ** x1 + 2 ** x2."""
    two = float(_np.log(2.0))
    x, y = _pair(x1, x2)
    return _ps.logaddexp(_real(x) * two, _real(y) * two) / two


@_public
def round(x: Any, decimals: int = 0) -> Any:
    """Returns x rounded to `decimals` digits after the point, halves to even."""
    x = _given(x)
    if decimals == 0:
        return _ps.round(x) if x._spec.dtype.kind in "fVc" else x
    scale = 10.0**decimals
    rounded = _ps.round(_real(x) * scale) / scale
    return rounded if x._spec.dtype.kind in "fVc" else _elementwise.cast(rounded, x._spec.dtype)


@_public
def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Returns x brought into x_min .. x_max."""
    x, low = _pair(x, x_min)
    x, high = _pair(x, x_max)
    return _arrays.clip_by_value(x, _elementwise.cast(low, x._spec.dtype), high)


@_public
def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Returns x with numbers in place of NaN and infinities."""
    x = _given(x)
    if x._spec.dtype.kind not in "fVc":
        return x
    limits = _np.finfo(x._spec.dtype)
    x = _ps.where(_ps.isnan(x), float(nan), x)
    x = _ps.where(_ps.equal(x, float("inf")), float(limits.max if posinf is None else posinf), x)
    return _ps.where(_ps.equal(x, -float("inf")), float(limits.min if neginf is None else neginf), x)


@_public
def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Returns x1 where the condition holds, x2 elsewhere; without them, the places where it holds."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    x, y = _pair(x1, x2)
    return _ps.where(_truth(condition), x, y)


@_public
def isclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Returns where two tensors are nearly equal."""
    x, y = _pair(x1, x2)
    x, y = _real(x), _real(y)
    near = _ps.less_equal(_ps.abs(x - y), atol + rtol * _ps.abs(y))
    same = _ps.equal(x, y)
    if equal_nan:
        same = _ps.logical_or(same, _ps.logical_and(_ps.isnan(x), _ps.isnan(y)))
    return _ps.logical_or(_ps.logical_and(near, _ps.isfinite(y)), same)


@_public
def allclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Returns whether two tensors are nearly equal everywhere."""
    return _ps.all(isclose(x1, x2, rtol, atol, equal_nan))


@_public
def divide_no_nan(x1: Any, x2: Any) -> Any:
    """Returns x1 / x2, and 0 where x2 is 0."""
    x, y = _pair(x1, x2)
    return _math.divide_no_nan(_real(x), _real(y))


@_public
def erfinv(x: Any) -> Any:
    """Returns the inverse of erf."""
    return _math.erfinv(_real(x))


@_public
def erfc(x: Any) -> Any:
    """Returns 1 - erf(x)."""
    return _math.erfc(_real(x))


@_public
def angle(x: Any) -> Any:
    """Returns the angle of complex numbers."""
    return _math.angle(_real(x))


@_public
def isneginf(x: Any) -> Any:
    """Returns where x is minus infinity."""
    return _ps.equal(_real(x), -float("inf"))


@_public
def isposinf(x: Any) -> Any:
    """Returns where x is infinity."""
    return _ps.equal(_real(x), float("inf"))


@_public
def isreal(x: Any) -> Any:
    """Returns where x has no imaginary part."""
    x = _given(x)
    return _ps.equal(_ps.imag(x), 0.0) if x._spec.dtype.kind == "c" else _ps.ones_like(x, dtype="bool")


@_public
def ldexp(x1: Any, x2: Any) -> Any:
    """Returns x1 times 2 to the power of whole numbers x2."""
    x, power = _real(x1), _given(x2)
    if power._spec.dtype.kind not in "iu":
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={power.dtype}")
    made = x * _ps.pow(2.0, _elementwise.cast(power, x._spec.dtype))
    return _ps.where(_ps.logical_or(_ps.isinf(x), _ps.equal(x, 0.0)), x, made)


def _divisor(name: str, what: str) -> None:
    def apply(x1: Any, x2: Any) -> Any:
        from penstock.tensorflow._numpy import elementwise

        x, y = _pair(x1, x2)
        if x._spec.dtype.kind not in "iu":
            raise TypeError(f"Arguments to {name} must be integers.")
        found = getattr(elementwise, name)(x, y)
        return _elementwise.cast(found, x._spec.dtype)

    apply.__doc__ = f"Returns the {what} of whole numbers, whose values are read."
    _public(apply, name)


_divisor("gcd", "greatest common divisor")
_divisor("lcm", "least common multiple")


@_public
def i0(x: Any) -> Any:
    """Returns the modified Bessel function of the first kind and order 0."""
    x = _given(x)
    kind = "float64" if x._spec.dtype == _np.int64 else "float32"
    return _math.bessel_i0(_elementwise.cast(x, kind) if x._spec.dtype.kind in "biu" else x)
