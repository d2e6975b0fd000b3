"""Functions of tf.experimental.numpy that work element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise, bitwise, math, nn
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._numpy.promotion import (
    PLACE,
    agreed,
    common,
    fraction,
    given,
    integer,
    listed,
    refused,
)
from penstock.tensorflow._tensor import EagerTensor

One = Callable[..., Any]

_FRACTIONS = {
    "log": math.log, "exp": math.exp, "sqrt": math.sqrt, "ceil": math.ceil, "floor": math.floor,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "sinh": math.sinh, "cosh": math.cosh,
    "tanh": math.tanh, "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan,
    "arcsinh": math.asinh, "arccosh": math.acosh, "arctanh": math.atanh, "expm1": math.expm1,
    "log1p": math.log1p, "isnan": math.is_nan, "isfinite": math.is_finite,
}  # fmt: skip
"""Of what they are given, whole numbers and truths become float64."""
_ANY = {
    "abs absolute fabs": math.abs, "conj conjugate": math.conj, "negative": math.negative,
    "reciprocal": math.reciprocal, "square": math.square, "positive": lambda x: x, "imag": math.imag,
    "real": math.real,
}  # fmt: skip


def _unary(names: str, function: One, prepared: One) -> Any:
    def apply(x: Any) -> Any:
        return function(prepared(x))

    own = names.split()[0]
    return listed(names, apply, f"{own}(x), elementwise")


made = {names.split()[0]: _unary(names, one, fraction) for names, one in _FRACTIONS.items()}
made |= {names.split()[0]: _unary(names, one, given) for names, one in _ANY.items()}
abs, exp, imag, isnan, log = (made[name] for name in ("abs", "exp", "imag", "isnan", "log"))
log1p, real, sqrt, square = (made[name] for name in ("log1p", "real", "sqrt", "square"))


def _of_truths(function: One, truths: One | None) -> One:
    """Returns a function of two tensors of one dtype, with another for truths: int8 stands in for none."""

    def apply(x: EagerTensor, y: EagerTensor) -> Any:
        if x._spec.dtype != np.bool_:
            return function(x, y)
        return truths(x, y) if truths else function(cast(x, np.int8), cast(y, np.int8))

    return apply


def _quotient(x: EagerTensor, y: EagerTensor) -> Any:
    return math.divide(cast(x, np.float64), cast(y, np.float64))


_TWO = {
    "add": _of_truths(math.add, math.logical_or),
    "subtract": math.subtract,
    "multiply": _of_truths(math.multiply, math.logical_and),
    "true_divide divide": _of_truths(math.divide, _quotient),
    "floor_divide": _of_truths(math.floordiv, None),
    "mod remainder": _of_truths(math.floormod, None),
    "minimum": _of_truths(math.minimum, math.logical_and),
    "power float_power": math.pow,
    "arctan2": math.atan2,
    "nextafter": math.nextafter,
    "bitwise_and": _of_truths(bitwise.bitwise_and, math.logical_and),
    "bitwise_or": _of_truths(bitwise.bitwise_or, math.logical_or),
    "bitwise_xor": _of_truths(bitwise.bitwise_xor, math.logical_xor),
    "equal": math.equal,
    "not_equal": math.not_equal,
}
_ORDERS = {
    "greater": math.greater, "greater_equal": math.greater_equal, "less": math.less,
    "less_equal": math.less_equal,
}  # fmt: skip
_LOGICAL = {
    "logical_and": math.logical_and, "logical_or": math.logical_or, "logical_xor": math.logical_xor,
}  # fmt: skip


def _binary(names: str, function: One, prepared: One = agreed) -> Any:
    def apply(x1: Any, x2: Any) -> Any:
        return function(*prepared(x1, x2))

    return listed(names, apply, f"{names.split()[0]} of x1 and x2, elementwise")


def _ordered(x1: Any, x2: Any) -> list[EagerTensor]:
    pair = agreed(x1, x2)
    return [cast(one, np.int32) for one in pair] if pair[0]._spec.dtype == np.bool_ else pair


def _truths(*values: Any) -> list[EagerTensor]:
    return [given(one, np.bool_) for one in values]


made |= {names.split()[0]: _binary(names, one) for names, one in _TWO.items()}
made |= {name: _binary(name, one, _ordered) for name, one in _ORDERS.items()}
made |= {name: _binary(name, one, _truths) for name, one in _LOGICAL.items()}
globals().update(made)
add, divide, floor_divide, mod = (made[name] for name in ("add", "true_divide", "floor_divide", "mod"))
equal, minimum, multiply, subtract = (made[name] for name in ("equal", "minimum", "multiply", "subtract"))


@named(f"{PLACE}.logical_not")
def logical_not(x: Any) -> Any:
    """Returns whether x is 0, elementwise."""
    return math.logical_not(given(x, np.bool_))


@named(f"{PLACE}.bitwise_not")
def bitwise_not(x: Any) -> Any:
    """Returns x with each bit turned, elementwise."""
    x = given(x)
    return (math.logical_not if x._spec.dtype == np.bool_ else bitwise.invert)(x)


@named(f"{PLACE}.divmod")
def divmod(x1: Any, x2: Any) -> tuple[EagerTensor, EagerTensor]:
    """Returns the quotient rounded down, and what it leaves."""
    return floor_divide(x1, x2), mod(x1, x2)


@named(f"{PLACE}.maximum")
def maximum(x1: Any, x2: Any) -> Any:
    """Returns the larger one, elementwise. With the number 0 this is `tf.nn.relu`, whose slope at 0 is 0.

    >>> from penstock import tensorflow as tf
    >>> print(tf.experimental.numpy.maximum([1, 2], 1.5))
    tf.Tensor([1.5 2. ], shape=(2,), dtype=float64)
    """
    numeric = isinstance(x1, EagerTensor) and x1._spec.dtype != np.bool_
    if numeric and isinstance(x2, int | float) and not isinstance(x2, bool) and x2 == 0:
        return nn.relu(x1)
    return _of_truths(math.maximum, math.logical_or)(*agreed(x1, x2))


@named(f"{PLACE}.clip")
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Returns a brought between two limits; one of them may be None."""
    if a_min is None and a_max is None:
        raise refused("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    x, low, high = agreed(a, a_min, a_max)
    return math.minimum(math.maximum(x, low), high)


@named(f"{PLACE}.sign")
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Returns -1, 0 or 1, elementwise. TensorFlow takes neither `out` nor `where`, nor NumPy's others."""
    others = [name for name, one in (("out", out), ("where", where)) if one] + list(kwargs)
    if others:
        raise refused(f"tf.numpy doesnt support setting {', '.join(others)}")
    return math.sign(given(x))


@named(f"{PLACE}.signbit")
def signbit(x: Any) -> Any:
    """Returns whether x is below 0, elementwise."""
    x = given(x)
    return _elementwise.cast(_arrays.zeros_like(x), np.bool_) if x._spec.dtype == np.bool_ else x < 0


@named(f"{PLACE}.isinf")
def isinf(x: Any) -> Any:
    """Returns whether x is infinite, elementwise; False for whole numbers."""
    x = given(x)
    return math.is_inf(x) if x._spec.dtype.kind in "fV" else False


def _infinite(value: float) -> One:
    def apply(x: Any) -> Any:
        x = given(x)
        return math.equal(x, value) if x._spec.dtype.kind in "fV" else False

    return apply


isneginf = listed("isneginf", _infinite(-np.inf), "whether x is minus infinity, elementwise")
isposinf = listed("isposinf", _infinite(np.inf), "whether x is infinity, elementwise")
deg2rad = listed("deg2rad", lambda x: multiply(fraction(x), np.pi / 180.0), "degrees as an angle in radians")
rad2deg = listed("rad2deg", lambda x: multiply(x, 180.0 / np.pi), "an angle in radians as degrees")
log2 = listed("log2", lambda x: divide(log(x), np.log(2)), "the logarithm to the base 2")
log10 = listed("log10", lambda x: divide(log(x), np.log(10)), "the logarithm to the base 10")
exp2 = listed("exp2", lambda x: 2 ** fraction(x), "2 to the power x")
hypot = listed(
    "hypot", lambda x1, x2: sqrt(add(square(x1), square(x2))), "the hypotenuse of a right triangle"
)
iscomplex = listed("iscomplex", lambda x: imag(x) != 0, "whether the imaginary part is not 0")
isreal = listed("isreal", lambda x: imag(x) == 0, "whether the imaginary part is 0")
iscomplexobj = listed(
    "iscomplexobj", lambda x: given(x)._spec.dtype.kind == "c", "whether the dtype is complex"
)
isrealobj = listed("isrealobj", lambda x: not iscomplexobj(x), "whether the dtype is not complex")


@named(f"{PLACE}.angle")
def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angle of complex numbers, in degrees on request."""
    x = fraction(z)
    found = math.angle(x) if x._spec.dtype.kind == "c" else _arrays.where(x < 0, np.pi, 0.0)
    return rad2deg(found) if deg else found


@named(f"{PLACE}.cbrt")
def cbrt(x: Any) -> Any:
    """Returns the cube root, elementwise."""
    x = fraction(x)
    root = math.abs(x) ** (1.0 / 3)
    return _arrays.where(x < 0, -root, root)


@named(f"{PLACE}.fix")
def fix(x: Any) -> Any:
    """Returns x rounded towards 0, elementwise."""
    x = fraction(x)
    return _arrays.where(x < 0, math.ceil(x), math.floor(x))


@named(f"{PLACE}.sinc")
def sinc(x: Any) -> Any:
    """Returns sin(pi x) / (pi x), and 1 at 0."""
    x = fraction(x)
    scaled = x * np.pi
    return _arrays.where(x == 0, _arrays.ones_like(x), math.sin(scaled) / scaled)


@named(f"{PLACE}.heaviside")
def heaviside(x1: Any, x2: Any) -> Any:
    """Returns 0 below 0, 1 above it, and x2 at 0."""
    x, y = agreed(x1, x2)
    zero, one = (given(value, y._spec.dtype) for value in (0, 1))
    return fraction(_arrays.where(x < 0, zero, _arrays.where(x > 0, one, y)))


def _log_of_sum(scaled: One) -> One:
    def apply(x1: Any, x2: Any) -> Any:
        difference = subtract(x1, x2)
        larger = add(maximum(x1, x2), scaled(math.negative(abs(difference))))
        found = agreed(add(x1, x2), larger)
        return _arrays.where(isnan(difference), *found)

    return apply


logaddexp = listed("logaddexp", _log_of_sum(lambda x: log1p(exp(x))), "log(exp(x1) + exp(x2))")
logaddexp2 = listed(
    "logaddexp2", _log_of_sum(lambda x: divide(log1p(exp2(x)), np.log(2))), "log2(2**x1 + 2**x2)"
)


@named(f"{PLACE}.isclose")
def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Returns whether two values are about equal; whole numbers must be equal."""
    x, y = agreed(a, b)
    if x._spec.dtype.kind not in "fcV":
        return math.equal(x, y)
    near = math.abs(x - y) <= atol + rtol * math.abs(y)
    return near | (isnan(x) & isnan(y)) if equal_nan else near


@named(f"{PLACE}.allclose")
def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Returns whether all values are about equal."""
    return math.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@named(f"{PLACE}.array_equal")
def array_equal(a1: Any, a2: Any) -> Any:
    """Returns whether two arrays have one shape and equal elements."""
    x, y = agreed(a1, a2)
    return math.reduce_all(math.equal(x, y)) if x.shape == y.shape else given(False)


def _divisor(x1: Any, x2: Any) -> tuple[EagerTensor, EagerTensor, EagerTensor]:
    """Returns the greatest common divisor of whole numbers, and the two; its steps look at the values."""
    x, y = agreed(x1, x2)
    if not integer(x._spec.dtype):
        raise refused("Arguments to gcd must be integers.")
    pair = np.broadcast_arrays(np.asarray(math.abs(x)), np.asarray(math.abs(y)))
    return given(np.gcd(*pair)), math.abs(x), math.abs(y)


@named(f"{PLACE}.gcd")
def gcd(x1: Any, x2: Any) -> Any:
    """Returns the greatest common divisor of whole numbers."""
    return _divisor(x1, x2)[0]


@named(f"{PLACE}.lcm")
def lcm(x1: Any, x2: Any) -> Any:
    """Returns the least common multiple of whole numbers."""
    divisor, x, y = _divisor(x1, x2)
    safe = math.maximum(divisor, given(1, divisor._spec.dtype))
    return x * (y // safe)


@named(f"{PLACE}.around")
def around(a: Any, decimals: int = 0) -> Any:
    """Returns a rounded to a number of decimals, halves to even."""
    x = given(a)
    # TensorFlow makes a float32 of the factor first, which 0.1 is not exactly.
    factor = given(np.float32(10.0**decimals), common(x) if x._spec.dtype.kind in "fcV" else np.float64)
    return cast(math.divide(math.round(math.multiply(fraction(x), factor)), factor), x._spec.dtype)


named(f"{PLACE}.round")(around)
