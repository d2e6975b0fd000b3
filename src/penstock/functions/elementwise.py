"""Elementwise functions of the Python Array API standard (2024.12), and a few others."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from penstock.errors import DTypeError
from penstock.functions import operators
from penstock.functions.arguments import tensor
from penstock.functions.composite import composite
from penstock.functions.datatypes import finfo
from penstock.ops import bits, complex_parts, elementary, pointwise
from penstock.ops.promotion import kind_of
from penstock.ops.table import Primitive
from penstock.ops.validation import number
from penstock.state.variable import read
from penstock.trace.fast_path import find
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


_ONE = "    Args:\n        x: a tensor, or what `asarray` takes, of any shape.\n\n"
_TWO = (
    "    Args:\n        x1: a tensor, or what `asarray` takes.\n"
    "        x2: the same; shapes broadcast, and dtypes promote.\n\n"
)
_SPREAD = "the shape to which the operands broadcast"
_RAISED = (
    "    Raises:\n        DTypeError: if an operand is of a dtype or type that the function cannot take.\n"
)
_FIT = "        ShapeError: if the shapes do not broadcast.\n"


def _elementwise(
    primitive: Primitive, purpose: str, example: str, result: str, name: str | None = None
) -> Callable[..., Tensor]:
    two = example.count(", ") == 1

    def function_one(x: Any, /) -> Tensor:
        return primitive.record((x,), {}, _frame(1))

    def function_two(x1: Any, x2: Any, /) -> Tensor:
        return primitive.record((x1, x2), {}, _frame(1))

    function: Callable[..., Tensor] = function_two if two else function_one
    function.__name__ = function.__qualname__ = name or primitive.name
    function.__doc__ = (
        f"Returns {purpose}, elementwise{'; the operands broadcast' if two else ''}.\n\n"
        f"{_TWO if two else _ONE}"
        f"    Returns:\n        A tensor of {_SPREAD if two else 'the shape of `x`'}"
        f"{', of booleans' if 'bool' in result else ''}.\n\n{_RAISED}{_FIT if two else ''}\n"
        f"    >>> import penstock as ps\n    >>> ps.{example}\n    {result}\n    "
    )
    return function


add = _elementwise(pointwise.add, "x1 + x2", "add(1.0, 2.0)", "Tensor(3., dtype=float32)")
subtract = _elementwise(pointwise.subtract, "x1 - x2", "subtract(1.0, 2.0)", "Tensor(-1., dtype=float32)")
multiply = _elementwise(pointwise.multiply, "x1 * x2", "multiply(3.0, 2.0)", "Tensor(6., dtype=float32)")
pow = _elementwise(pointwise.power, "x1 to the power x2", "pow(3.0, 2.0)", "Tensor(9., dtype=float32)", "pow")
maximum = _elementwise(
    pointwise.maximum, "the larger operand; on a tie each has half the gradient", "maximum(3.0, 2.0)",
    "Tensor(3., dtype=float32)",
)  # fmt: skip
minimum = _elementwise(
    pointwise.minimum, "the smaller operand; on a tie each has half the gradient", "minimum(3.0, 2.0)",
    "Tensor(2., dtype=float32)",
)  # fmt: skip
floor_divide = _elementwise(
    pointwise.floor_divide, "x1 / x2 rounded down (flat: no gradient)", "floor_divide(7.0, 2.0)",
    "Tensor(3., dtype=float32)",
)  # fmt: skip
remainder = _elementwise(
    pointwise.remainder, "what floor_divide leaves, with the sign of x2", "remainder(-7.0, 2.0)",
    "Tensor(1., dtype=float32)",
)  # fmt: skip
atan2 = _elementwise(
    pointwise.atan2,
    "the angle in radians of the point (x2, x1)",
    "atan2(0.0, 1.0)",
    "Tensor(0., dtype=float32)",
)
equal = _elementwise(pointwise.equal, "whether x1 == x2", "equal(1, 1)", "Tensor(True, dtype=bool)")
not_equal = _elementwise(
    pointwise.not_equal, "whether x1 != x2", "not_equal(1, 1)", "Tensor(False, dtype=bool)"
)
less = _elementwise(pointwise.less, "whether x1 < x2", "less(1, 2)", "Tensor(True, dtype=bool)")
less_equal = _elementwise(
    pointwise.less_equal, "whether x1 <= x2", "less_equal(1, 1)", "Tensor(True, dtype=bool)"
)
greater = _elementwise(pointwise.greater, "whether x1 > x2", "greater(1, 2)", "Tensor(False, dtype=bool)")
greater_equal = _elementwise(
    pointwise.greater_equal, "whether x1 >= x2", "greater_equal(1, 2)", "Tensor(False, dtype=bool)"
)
logical_and = _elementwise(
    pointwise.logical_and, "whether both hold", "logical_and(True, False)", "Tensor(False, dtype=bool)"
)
logical_or = _elementwise(
    pointwise.logical_or, "whether one holds", "logical_or(True, False)", "Tensor(True, dtype=bool)"
)
logical_xor = _elementwise(
    pointwise.logical_xor, "whether just one holds", "logical_xor(True, False)", "Tensor(True, dtype=bool)"
)
logical_not = _elementwise(
    pointwise.logical_not, "the logical negation", "logical_not(True)", "Tensor(False, dtype=bool)"
)
isnan = _elementwise(pointwise.isnan, "whether x is NaN", "isnan(1.0)", "Tensor(False, dtype=bool)")
isinf = _elementwise(pointwise.isinf, "whether x is infinite", "isinf(1.0)", "Tensor(False, dtype=bool)")
isfinite = _elementwise(
    pointwise.isfinite, "whether x is neither NaN nor infinite", "isfinite(1.0)", "Tensor(True, dtype=bool)"
)
negative = _elementwise(pointwise.negative, "-x", "negative(1.0)", "Tensor(-1., dtype=float32)")
abs = _elementwise(
    pointwise.absolute,
    "the absolute value; its slope at 0 is taken as 0",
    "abs(-1.0)",
    "Tensor(1., dtype=float32)",
)


def sign(x: Any, /) -> Tensor:
    """Returns -1, 0 or 1, elementwise; for a complex number, the number of modulus 1 with the same direction.

    The sign of a real number is flat: it has no gradient. At a complex 0 the slope is taken as 0.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.sign(-3.0)
    Tensor(-1., dtype=float32)
    """
    x = _operand(x)
    turns = isinstance(x, complex) or (isinstance(x, Tensor | Cell) and kind_of(x._spec.dtype) == "c")
    return (pointwise.direction if turns else pointwise.sign).record((x,), {}, _frame(1))


square = _elementwise(pointwise.square, "x * x", "square(3.0)", "Tensor(9., dtype=float32)")
exp = _elementwise(pointwise.exp, "e to the power x", "exp(0.0)", "Tensor(1., dtype=float32)")
expm1 = _elementwise(pointwise.expm1, "exp(x) - 1", "expm1(0.0)", "Tensor(0., dtype=float32)")
log = _elementwise(pointwise.log, "the natural logarithm", "log(1.0)", "Tensor(0., dtype=float32)")
log1p = _elementwise(pointwise.log1p, "log(1 + x)", "log1p(0.0)", "Tensor(0., dtype=float32)")
sqrt = _elementwise(pointwise.sqrt, "the square root", "sqrt(9.0)", "Tensor(3., dtype=float32)")
rsqrt = _elementwise(pointwise.rsqrt, "1 / sqrt(x)", "rsqrt(4.0)", "Tensor(0.5, dtype=float32)")
sin = _elementwise(pointwise.sin, "the sine of an angle in radians", "sin(0.0)", "Tensor(0., dtype=float32)")
cos = _elementwise(
    pointwise.cos, "the cosine of an angle in radians", "cos(0.0)", "Tensor(1., dtype=float32)"
)
tan = _elementwise(
    pointwise.tan, "the tangent of an angle in radians", "tan(0.0)", "Tensor(0., dtype=float32)"
)
asin = _elementwise(pointwise.asin, "the angle whose sine is x", "asin(0.0)", "Tensor(0., dtype=float32)")
acos = _elementwise(pointwise.acos, "the angle whose cosine is x", "acos(1.0)", "Tensor(0., dtype=float32)")
atan = _elementwise(pointwise.atan, "the angle whose tangent is x", "atan(0.0)", "Tensor(0., dtype=float32)")
sinh = _elementwise(pointwise.sinh, "the hyperbolic sine", "sinh(0.0)", "Tensor(0., dtype=float32)")
cosh = _elementwise(pointwise.cosh, "the hyperbolic cosine", "cosh(0.0)", "Tensor(1., dtype=float32)")
tanh = _elementwise(pointwise.tanh, "the hyperbolic tangent", "tanh(0.0)", "Tensor(0., dtype=float32)")
erf = _elementwise(pointwise.erf, "the Gaussian error function", "erf(0.0)", "Tensor(0., dtype=float32)")
floor = _elementwise(
    pointwise.floor, "x rounded down (flat: no gradient)", "floor(1.7)", "Tensor(1., dtype=float32)"
)
ceil = _elementwise(
    pointwise.ceil, "x rounded up (flat: no gradient)", "ceil(1.2)", "Tensor(2., dtype=float32)"
)
round = _elementwise(
    pointwise.round,
    "x rounded, halves to even (flat: no gradient)",
    "round(2.5)",
    "Tensor(2., dtype=float32)",
)
trunc = _elementwise(
    pointwise.trunc, "x without its fraction (flat: no gradient)", "trunc(-1.7)", "Tensor(-1., dtype=float32)"
)
acosh = _elementwise(
    elementary.acosh, "the area whose hyperbolic cosine is x", "acosh(1.0)", "Tensor(0., dtype=float32)"
)
asinh = _elementwise(
    elementary.asinh, "the area whose hyperbolic sine is x", "asinh(0.0)", "Tensor(0., dtype=float32)"
)
atanh = _elementwise(
    elementary.atanh, "the area whose hyperbolic tangent is x", "atanh(0.0)", "Tensor(0., dtype=float32)"
)
log2 = _elementwise(elementary.log2, "the logarithm to base 2", "log2(8.0)", "Tensor(3., dtype=float32)")
log10 = _elementwise(elementary.log10, "the logarithm to base 10", "log10(0.1)", "Tensor(-1., dtype=float32)")
logaddexp = _elementwise(
    elementary.logaddexp,
    "log(exp(x1) + exp(x2)) without overflow",
    "logaddexp(1000.0, 0.0)",
    "Tensor(1000., dtype=float32)",
)
hypot = _elementwise(
    elementary.hypot,
    "sqrt(x1 * x1 + x2 * x2) without overflow; its slope at 0 is taken as 0",
    "hypot(3.0, 4.0)",
    "Tensor(5., dtype=float32)",
)
copysign = _elementwise(
    elementary.copysign, "x1 with the sign of x2", "copysign(3.0, -2.0)", "Tensor(-3., dtype=float32)"
)
nextafter = _elementwise(
    elementary.nextafter,
    "the next number after x1 in the direction of x2",
    "nextafter(0.0, 1.0)",
    "Tensor(1.e-45, dtype=float32)",
)
signbit = _elementwise(
    elementary.signbit, "whether the sign of x, or of a zero, is minus", "signbit(-0.0)",
    "Tensor(True, dtype=bool)",
)  # fmt: skip
real = _elementwise(complex_parts.real, "the real part", "real(1 + 2j)", "Tensor(1., dtype=float32)")
imag = _elementwise(complex_parts.imag, "the imaginary part", "imag(1 + 2j)", "Tensor(2., dtype=float32)")
conj = _elementwise(
    complex_parts.conj, "the complex conjugate", "conj(1 + 2j)", "Tensor(1.-2.j, dtype=complex64)"
)
bitwise_and = _elementwise(
    bits.bitwise_and, "the bits that both have", "bitwise_and(6, 3)", "Tensor(2, dtype=int64)"
)
bitwise_or = _elementwise(
    bits.bitwise_or, "the bits that one has", "bitwise_or(6, 3)", "Tensor(7, dtype=int64)"
)
bitwise_xor = _elementwise(
    bits.bitwise_xor, "the bits that just one has", "bitwise_xor(6, 3)", "Tensor(5, dtype=int64)"
)
bitwise_invert = _elementwise(
    bits.bitwise_invert, "the bits that x has not", "bitwise_invert(6)", "Tensor(-7, dtype=int64)"
)
bitwise_left_shift = _elementwise(
    bits.left_shift,
    "x1 times 2 ** x2, by shifting bits",
    "bitwise_left_shift(6, 1)",
    "Tensor(12, dtype=int64)",
)
bitwise_right_shift = _elementwise(
    bits.right_shift,
    "x1 divided by 2 ** x2, rounded down",
    "bitwise_right_shift(6, 2)",
    "Tensor(1, dtype=int64)",
)


def divide(x1: Any, x2: Any, /) -> Tensor:
    """Returns x1 / x2, elementwise; the operands broadcast. Integers are divided as float32.

    Args:
        x1: array-like or tensor; it broadcasts with `x2`.
        x2: array-like or tensor; it broadcasts with `x1`.

    Returns:
        A tensor of the shape to which the operands broadcast, of the dtype to which they promote.

    Raises:
        ShapeError: if `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.divide(3.0, 2.0)
    Tensor(1.5, dtype=float32)
    """
    frame = _frame(1)
    found = find(pointwise.divide.code, x1, x2)
    if found is not None:
        return found
    return operators.record_divide(pointwise.divide, _operand(x1), _operand(x2), frame)  # type: ignore[no-any-return]


def _operand(x: Any) -> Any:
    return x if isinstance(x, bool | int | float | complex) else tensor(x)


def positive(x: Any, /) -> Tensor:
    """Returns x unchanged; a variable's value is read.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.positive(-2.0)
    Tensor(-2., dtype=float32)
    """
    return operators.positive(tensor(x), _frame(1))


def reciprocal(x: Any, /) -> Tensor:
    """Returns 1 / x, elementwise.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.reciprocal(4.0)
    Tensor(0.25, dtype=float32)
    """
    return pointwise.divide.record((1.0, tensor(x)), {}, _frame(1))


def where(condition: Any, x1: Any, x2: Any, /) -> Tensor:
    """Returns x1 where the condition holds and x2 elsewhere; all three broadcast.

    Guard the argument of a function, not its result: the slope of the branch that is not chosen must stay
    finite.

    Args:
        condition: booleans; they broadcast with `x1` and `x2`.
        x1: a number, or an array or tensor of any dtype.
        x2: a number, or an array or tensor of any dtype.

    Returns:
        A tensor of the shape to which all three broadcast, of the dtype to which `x1` and `x2` promote.

    Raises:
        ShapeError: if `condition`, `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `condition`, `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.asarray([0.0, 4.0])
    >>> ps.where(x > 0, ps.sqrt(ps.where(x > 0, x, 1.0)), 0.0)
    Tensor([0., 2.], dtype=float32)
    """
    return pointwise.where.record((condition, x1, x2), {}, _frame(1))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Tensor:
    """Returns x with every element brought into min .. max. Inside and on the border gradients pass.

    Args:
        x: array-like or tensor of any shape and real dtype.
        min: the lower border, a number or a tensor that broadcasts; None for none.
        max: the upper border, a number or a tensor that broadcasts; None for none.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x`, `min` or `max` has the wrong dtype or type.
        ShapeError: if `min` or `max` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.clip(ps.asarray([-2.0, 0.5]), -1.0, 1.0)
    Tensor([-1. ,  0.5], dtype=float32)
    """
    frame = _frame(1)
    if min is None and max is None:
        return read(x) if isinstance(x, Cell) else tensor(x)
    if min is not None and max is not None:
        return pointwise.clip.record((x, min, max), {}, frame)
    # Not maximum or minimum: they give half of the gradient to a border equal to x.
    beyond, border = (pointwise.less, min) if max is None else (pointwise.greater, max)
    outside = beyond.record((x, border), {}, frame)
    number = isinstance(border, int | float) and border == border
    if not number and (isinstance(border, float) or kind_of(tensor(border)._spec.dtype) == "f"):
        # A border that is NaN does not compare: the result is NaN.
        unknown = pointwise.isnan.record((border,), {}, frame)
        outside = pointwise.logical_or.record((outside, unknown), {}, frame)
    return pointwise.where.record((outside, border, x), {}, frame)


def nan_to_num(
    x: Any, /, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Returns x with numbers in place of NaN, and in place of infinities the largest and smallest.

    `posinf` and `neginf` stand for infinities if they are given.
    No gradient passes to replaced elements. Integers stay unchanged. Raises DTypeError for complex numbers.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        nan: a number, in place of NaN.
        posinf: a number, in place of infinity; None for the largest of the dtype.
        neginf: a number, in place of minus infinity; None for the lowest of the dtype.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x`, `nan`, `posinf` or `neginf` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nan_to_num(ps.asarray([1.0, float("nan"), float("inf")]), posinf=9.0)
    Tensor([1., 0., 9.], dtype=float32)
    """
    x = tensor(x)
    kind = kind_of(x._spec.dtype)
    if kind == "c":
        raise DTypeError(
            f"nan_to_num takes real numbers; this operand is {x._spec!r}.",
            remedy="Treat ps.real(x) and ps.imag(x) apart.",
            site=here(),
        )
    if kind != "f":
        return pointwise.identity.record((x,), {}, _frame(1))
    limits = finfo(x._spec.dtype)
    high = float(limits.max) if posinf is None else number("nan_to_num: posinf", posinf)
    low = float(limits.min) if neginf is None else number("nan_to_num: neginf", neginf)
    return _finite(x, number("nan_to_num: nan", nan), high, low)


@composite(1, "nan_to_num")
def _finite(x: Any, nan: float, high: float, low: float) -> Tensor:
    held = pointwise.where(pointwise.equal(x, math.inf), high, x)
    held = pointwise.where(pointwise.equal(x, -math.inf), low, held)
    return pointwise.where(pointwise.isnan(x), nan, held)


def stop_gradient(x: Any) -> Tensor:
    """Returns x, and lets no gradient of any order pass.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.Variable(2.0)
    >>> with ps.GradientTape() as tape:
    ...     y = x * ps.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    2.0
    """
    return pointwise.stop_gradient.record((x,), {}, _frame(1))


__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil",
    "clip", "conj", "copysign", "cos", "cosh", "divide", "equal", "erf", "exp", "expm1", "floor",
    "floor_divide", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf", "isnan", "less",
    "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "multiply", "nan_to_num", "negative", "nextafter", "not_equal",
    "positive", "pow", "real", "reciprocal", "remainder", "round", "rsqrt", "sign", "signbit", "sin",
    "sinh", "sqrt", "square", "stop_gradient", "subtract", "tan", "tanh", "trunc", "where",
]  # fmt: skip
