"""Elementwise functions, reductions, products, and comparisons under Paddle's names."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named, own_name
from penstock.errors import PenstockError
from penstock.functions import array as native
from penstock.functions import nn as native_nn
from penstock.functions.composite import composite
from penstock.ops import bits, pointwise, reduce, shape
from penstock.ops.promotion import kind_of
from penstock.ops.table import Primitive
from penstock.ops.table import cast as _cast
from penstock.ops.validation import number
from penstock.paddle._convert import (
    HANDLES,
    axes_in,
    axes_of,
    converted,
    data,
    operand,
    promoted,
    record,
    translated,
)  # fmt: skip
from penstock.paddle._declaring import in_paddle, method, row
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._operators import binary
from penstock.paddle._operators import matmul as _matmul
from penstock.paddle._record import CUTTING, WITHOUT_GRADIENT
from penstock.paddle._tensor import forgetting
from penstock.paddle._writing import written
from penstock.trace.fast_path import find
from penstock.trace.source_site import here, warn_once
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def floating(x: Any, frame: Any, word: str = "") -> Any:
    """Returns whole numbers in the default dtype, as Paddle's smooth functions take them.

    `word` names the function: some cut the gradient of whole numbers, others have none that could be taken.
    """
    x = operand(x)
    if kind_of(x._spec.dtype) not in "bi":
        return x
    if word in CUTTING and not x.stop_gradient:
        x = record(pointwise.stop_gradient, (x,), {}, frame)
    elif word in WITHOUT_GRADIENT and not x.stop_gradient:
        return _within(word, x, default_dtype())
    return converted(x, default_dtype(), frame)


def _within(word: str, x: Any, dtype: np.dtype[Any]) -> Any:
    """Returns whole numbers that a function converts to floats: the conversion counts as part of it."""
    return composite(1, word)(_cast_within)(x, dtype.name)


def _cast_within(x: Any, dtype: str) -> Tensor:
    return _cast(x, dtype=np.dtype(dtype))


def _unary(names: str, primitive: Primitive, purpose: str, smooth: bool = True) -> Callable[..., Any]:
    code, word = primitive.code, own_name(names)

    def function(x: Any, name: Any = None) -> Any:
        found = find(code, x)
        if found is not None:
            return found
        frame = _frame(1)
        x = floating(x, frame, word) if smooth else operand(x)
        return record(primitive, (x,), {}, frame)

    return row(function, names, f"Returns {purpose}, elementwise.")


exp = _unary("exp exp_", pointwise.exp, "e to the power of x")
expm1 = _unary("expm1 expm1_", pointwise.expm1, "exp(x) - 1")
log = _unary("log log_", pointwise.log, "the natural logarithm")
log1p = _unary("log1p log1p_", pointwise.log1p, "log(1 + x)")
sqrt = _unary("sqrt sqrt_", pointwise.sqrt, "the square root")
rsqrt = _unary("rsqrt rsqrt_", pointwise.rsqrt, "1 / sqrt(x)")
sin = _unary("sin sin_", pointwise.sin, "the sine")
cos = _unary("cos cos_", pointwise.cos, "the cosine")
tan = _unary("tan tan_", pointwise.tan, "the tangent")
asin = _unary("asin asin_", pointwise.asin, "the angle whose sine is x")
acos = _unary("acos acos_", pointwise.acos, "the angle whose cosine is x")
atan = _unary("atan atan_", pointwise.atan, "the angle whose tangent is x")
sinh = _unary("sinh sinh_", pointwise.sinh, "the hyperbolic sine")
cosh = _unary("cosh cosh_", pointwise.cosh, "the hyperbolic cosine")
tanh = _unary("tanh paddle.nn.functional.tanh tanh_", pointwise.tanh, "the hyperbolic tangent")
erf = _unary("erf erf_", pointwise.erf, "the Gaussian error function")
sigmoid = _unary("sigmoid sigmoid_ paddle.nn.functional.sigmoid", pointwise.logistic, "1 / (1 + exp(-x))")
square = _unary("square square_", pointwise.square, "x times x", smooth=False)
abs = _unary("abs abs_", pointwise.absolute, "the absolute value", smooth=False)
neg = _unary("neg neg_ negative", pointwise.negative, "-x", smooth=False)
sign = _unary("sign sgn", pointwise.direction, "-1, 0 or 1", smooth=False)


def leveled(x: Any, primitive: Primitive, frame: Any) -> Any:
    """Returns rounded numbers. Whole numbers stay as they are, with a gradient of zeros, as in Paddle."""
    x = operand(x)
    if kind_of(x._spec.dtype) == "i":
        return forgetting(x, record(pointwise.identity, (x.detach(),), {}, frame), frame)
    return record(primitive, (floating(x, frame),), {}, frame)


def _rounding(names: str, primitive: Primitive, purpose: str) -> Callable[..., Any]:
    code = primitive.code

    def function(x: Any, name: Any = None) -> Any:
        found = find(code, x)
        return leveled(x, primitive, _frame(1)) if found is None else found

    return row(function, names, f"Returns {purpose}, elementwise.")


floor = _rounding("floor floor_", pointwise.level_floor, "x rounded down")
ceil = _rounding("ceil ceil_", pointwise.level_ceil, "x rounded up")


@method("trunc_")
def trunc(input: Any, name: Any = None) -> Any:
    """Returns the numbers without their fractions."""
    return leveled(input, pointwise.level_trunc, _frame(1))


isnan = _unary("isnan", pointwise.isnan, "whether x is NaN", smooth=False)
isinf = _unary("isinf", pointwise.isinf, "whether x is infinite", smooth=False)
isfinite = _unary("isfinite", pointwise.isfinite, "whether x is finite", smooth=False)


@method("logical_not_")
def logical_not(x: Any, name: Any = None) -> Any:
    """Returns whether x is false, or 0, elementwise."""
    x = operand(x)
    if x._spec.dtype != np.bool_:
        return record(pointwise.equal, (x, 0), {}, _frame(1))
    return record(pointwise.logical_not, (x,), {}, _frame(1))


@method("round_")
def round(x: Any, decimals: int = 0, name: Any = None) -> Any:
    """Returns x rounded to this many digits, halves to even."""
    frame = _frame(1)
    if not decimals:
        return leveled(x, pointwise.level_round, frame)
    scale = 10.0**decimals
    return record(pointwise.level_round, (x * scale,), {}, frame) / scale


@method("reciprocal_")
def reciprocal(x: Any, name: Any = None) -> Any:
    """Returns 1 / x."""
    return _reciprocal(floating(x, _frame(1), "reciprocal"))


@composite(1, "reciprocal")
def _reciprocal(x: Any) -> Tensor:
    return 1.0 / x  # type: ignore[no-any-return]


def _two(names: str, primitive: Primitive, purpose: str, declared: bool = True) -> Callable[..., Any]:
    word = own_name(names)

    def function(x: Any, y: Any, name: Any = None) -> Any:
        found = find(primitive.code, x, y)
        if found is not None:
            return found
        frame = _frame(1)
        if isinstance(x, HANDLES):
            return binary(primitive, x, y, False, word, frame)
        if isinstance(y, HANDLES):
            return binary(primitive, y, x, True, word, frame)
        return binary(primitive, operand(x), y, False, word, frame)

    text = f"Returns {purpose}, elementwise; the operands broadcast."
    return row(function, names, text) if declared else function


_ONCE = 1
"""The factor that an operand has where none is given."""


def _scaling(names: str, primitive: Primitive, purpose: str) -> Callable[..., Any]:
    """Declares a sum or a difference that takes a factor of its second operand."""
    word = own_name(names)

    def function(x: Any, y: Any, name: Any = None, *, alpha: Any = _ONCE) -> Any:
        if alpha is not _ONCE:
            y = operand(y) * alpha
        found = find(primitive.code, x, y)
        if found is not None:
            return found
        frame = _frame(1)
        if isinstance(x, HANDLES):
            return binary(primitive, x, y, False, word, frame)
        if isinstance(y, HANDLES):
            return binary(primitive, y, x, True, word, frame)
        return binary(primitive, operand(x), y, False, word, frame)

    text = f"Returns {purpose}, elementwise, with `alpha` times y for y; the operands broadcast."
    return row(function, names, text)


add = _scaling("add add_", pointwise.add, "x + y")
subtract = _scaling("subtract subtract_ sub sub_", pointwise.subtract, "x - y")
multiply = _two("multiply multiply_ mul mul_", pointwise.multiply, "x * y")
true_divide = _two("true_divide", pointwise.divide, "x / y")
floor_divide = _two("floor_divide floor_divide_", pointwise.floor_divide, "x / y rounded down")
remainder = _two(
    "remainder remainder_ floor_mod floor_mod_ mod mod_",
    pointwise.remainder,
    "the rest of x / y, with y's sign",
)
_divide = _two("divide", pointwise.divide, "x / y", declared=False)


def _rounded_divide(x: Any, y: Any, name: Any = None, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return _divide(x, y)
    if rounding_mode not in ("trunc", "floor"):
        raise InvalidValueError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode}.",
            site=here(),
        )
    x, y = operand(x).detach(), operand(y).detach()
    found = floor_divide(x, y)
    if rounding_mode == "floor":
        return found
    # One more where the quotient is below zero and not whole.
    above = less_than(found, operand(0).astype(found._spec.dtype.name)).logical_and(not_equal(found * y, x))
    return found + above.astype(found._spec.dtype.name)


divide = row(
    _rounded_divide,
    "divide divide_ div div_",
    "Returns x / y, elementwise, rounded to zero (`rounding_mode` 'trunc') or down ('floor'), where no "
    "gradient passes; the operands broadcast.",
)
pow = _two("pow pow_", pointwise.power, "x to the power of y")
maximum = _two("maximum", pointwise.maximum, "the larger one")
minimum = _two("minimum", pointwise.minimum, "the smaller one")


@composite(2, "fmax")
def _fmax(x: Any, y: Any, largest: bool) -> Any:
    first = pointwise.greater_equal(x, y) if largest else pointwise.less_equal(x, y)
    if kind_of(y.dtype) == "f":
        first = pointwise.logical_or(first, pointwise.isnan(y))
    return pointwise.where(first, x, y)


@method
def fmax(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the larger one, elementwise; NaN only where both are. Of equal ones x has the gradient."""
    return _fmax(*_agreed("fmax", x, y, _frame(1)), True)


@method
def fmin(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the smaller one, elementwise; NaN only where both are. Of equal ones x has the gradient."""
    return _fmax(*_agreed("fmin", x, y, _frame(1)), False)


def _agreed(name: str, x: Any, y: Any, frame: Any) -> tuple[Any, Any]:
    x, y = operand(x), operand(y)
    dtype = promoted(name, [x._spec, y._spec], [])
    return converted(x, dtype, frame), converted(y, dtype, frame)


@method
def atan2(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the angle of the point (y, x), elementwise; of integers in float64."""
    x, y = operand(x), operand(y)
    frame = _frame(1)
    if x._spec.dtype.kind in "iu" and y._spec.dtype.kind in "iu":
        wide = np.dtype(np.float64)
        x, y = (
            converted(one, wide, frame) if one.stop_gradient else _within("atan2", one, wide)
            for one in (x, y)
        )
    return binary(pointwise.atan2, x, y, False, "atan2", frame)


equal = _two("equal equal_ eq", pointwise.equal, "whether x is y")
not_equal = _two("not_equal not_equal_ ne", pointwise.not_equal, "whether x is not y")
less_than = _two("less_than less_than_ less less_ lt", pointwise.less, "whether x is less than y")
less_equal = _two("less_equal less_equal_ le", pointwise.less_equal, "whether x is not greater than y")
greater_than = _two("greater_than greater_than_ greater gt", pointwise.greater, "whether x is greater than y")
greater_equal = _two(
    "greater_equal greater_equal_ ge", pointwise.greater_equal, "whether x is not less than y"
)
logical_and = _two("logical_and logical_and_", pointwise.logical_and, "whether both hold")
logical_or = _two("logical_or logical_or_", pointwise.logical_or, "whether one holds")
logical_xor = _two("logical_xor logical_xor_", pointwise.logical_xor, "whether just one holds")


def _bitwise(names: str, primitive: Primitive, purpose: str) -> Callable[..., Any]:
    word = own_name(names)

    def function(x: Any, y: Any, out: Any = None, name: Any = None) -> Any:
        frame = _frame(1)
        return written(record(primitive, (operand(x), operand(y)), {}, frame), out, word, frame)

    return row(function, names, f"Returns {purpose} of integers or booleans, bit by bit.")


bitwise_and = _bitwise("bitwise_and bitwise_and_", bits.bitwise_and, "x and y")
bitwise_or = _bitwise("bitwise_or bitwise_or_", bits.bitwise_or, "x or y")
bitwise_xor = _bitwise("bitwise_xor bitwise_xor_", bits.bitwise_xor, "x or y but not both")


@method("bitwise_left_shift_")
def bitwise_left_shift(x: Any, y: Any, is_arithmetic: bool = True, out: Any = None, name: Any = None) -> Any:
    """Returns x moved y places up, bit by bit.

    The bits are the same either way: `is_arithmetic` does nothing.
    """
    frame = _frame(1)
    return written(
        record(bits.left_shift, (operand(x), operand(y)), {}, frame), out, "bitwise_left_shift", frame
    )


@method("bitwise_not_", "bitwise_invert", "bitwise_invert_")
def bitwise_not(x: Any, out: Any = None, name: Any = None) -> Any:
    """Returns the other bits of integers or booleans."""
    frame = _frame(1)
    return written(record(bits.bitwise_invert, (operand(x),), {}, frame), out, "bitwise_not", frame)


@method("bitwise_right_shift_")
def bitwise_right_shift(x: Any, y: Any, is_arithmetic: bool = True, out: Any = None, name: Any = None) -> Any:
    """Returns x moved y places down, bit by bit; the sign stays unless `is_arithmetic` is False."""
    frame = _frame(1)
    x = operand(x)
    own = x._spec.dtype
    if not is_arithmetic and own.kind == "i":
        x = converted(x, np.dtype(f"u{own.itemsize}"), frame)
    y = converted(operand(y), x._spec.dtype, frame)
    found = converted(record(bits.right_shift, (x, y), {}, frame), own, frame)
    return written(found, out, "bitwise_right_shift", frame)


@method("scale_")
def scale(
    x: Any,
    scale: Any = 1.0,
    bias: Any = 0.0,
    bias_after_scale: bool = True,
    act: Any = None,
    name: Any = None,
) -> Any:
    """Returns scale * x + bias, or what an activation of the name `act` makes of it."""
    x = operand(x)
    if kind_of(x._spec.dtype) in "bi":
        # Paddle's kernel computes in the dtype of x.
        scale, bias = (one if isinstance(one, HANDLES) else int(one) for one in (scale, bias))
    found = x * scale + bias if bias_after_scale else (x + bias) * scale
    if act is None:
        return found
    function = globals().get(act) or getattr(native_nn, act, None)
    if function is None:
        raise InvalidValueError(
            f"scale: act is {act!r}, which names no activation.", remedy="Say act='relu'.", site=here()
        )
    return function(found)


@method("clip_", "clamp", "clamp_")
def clip(x: Any, min: Any = None, max: Any = None, name: Any = None) -> Any:
    """Returns x with every element brought into min .. max."""
    frame = _frame(1)
    if min is None and max is None:
        return record(pointwise.identity, (operand(x),), {}, frame)
    if min is not None and max is not None:
        return record(pointwise.clip, (x, min, max), {}, frame)
    outside, border = (pointwise.less, min) if max is None else (pointwise.greater, max)
    return record(pointwise.where, (record(outside, (x, border), {}, frame), border, x), {}, frame)


@method("cast_")
def cast(x: Any, dtype: Any) -> Any:
    """Returns x in another dtype: a copy, even if x has that dtype."""
    x, frame = operand(x), _frame(1)
    found = converted(x, numpy_dtype(dtype), frame)
    return record(pointwise.identity, (x,), {}, frame) if found is x else found


@named("paddle.Tensor.astype")
def astype(x: Any, dtype: Any) -> Any:
    """Returns x in another dtype, and x itself if it has that one."""
    return converted(operand(x), numpy_dtype(dtype), _frame(1))


@method
def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Returns x where the condition holds and y elsewhere; without them, the places where it holds."""
    frame = _frame(1)
    if x is None and y is None:
        return tuple(data(one.astype(np.int64)) for one in np.nonzero(np.asarray(condition)))
    return record(pointwise.where, (condition, x, y), {}, frame)


# -- reductions ------------------------------------------------------------------------------------------


def _reduce(primitive: Primitive, x: Any, axis: Any, keepdim: bool, frame: Any) -> Any:
    axis = axes_of(axis)
    head = (primitive.code, axis, keepdim)
    found = find(head, x)
    if found is not None:
        return found
    x = operand(x)
    try:
        axes = reduce.normalize_axes(primitive.name, axes_in(axis, x), x._spec.shape)
    except PenstockError as error:
        raise translated(error) from None
    params = {"axes": axes, "keepdims": bool(keepdim)}
    try:
        return primitive.record((x,), params, frame, head)
    except PenstockError as error:
        raise translated(error) from None


@method
def sum(
    x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: Any = None, *, out: Any = None
) -> Any:
    """Returns the sum over all axes, or over those named."""
    frame = _frame(1)
    if dtype is not None:
        x = converted(operand(x), numpy_dtype(dtype), frame)
    elif not isinstance(x, HANDLES) or x._spec.dtype.kind in "bi":
        x = operand(x)
        if x._spec.dtype.kind == "b" or x._spec.dtype == np.int32:
            x = converted(x, np.dtype(np.int64), frame)
    return written(_reduce(reduce.sum, x, axis, keepdim, frame), out, "sum", frame)


@method
def mean(
    x: Any, axis: Any = None, keepdim: bool = False, name: Any = None, *, dtype: Any = None, out: Any = None
) -> Any:
    """Returns the arithmetic mean over all axes, or over those named."""
    frame = _frame(1)
    if dtype is not None:
        x = converted(operand(x), numpy_dtype(dtype), frame)
    if out is not None:
        return written(mean(x, axis, keepdim), out, "mean", frame)
    if isinstance(x, HANDLES) and x._spec.dtype.kind in "biu":
        # Paddle cuts off what is not whole, in the gradient too.
        found = _reduce(reduce.mean, converted(x, np.dtype(np.float64), frame), axis, keepdim, frame)
        return converted(found, x._spec.dtype, frame)
    return _reduce(reduce.mean, x, axis, keepdim, frame)


@method("amax")
def max(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the largest element; equal ones share the gradient."""
    return _reduce(reduce.max, x, axis, keepdim, _frame(1))


@method("amin")
def min(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the smallest element; equal ones share the gradient."""
    return _reduce(reduce.min, x, axis, keepdim, _frame(1))


@method
def prod(
    x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = None, name: Any = None, *, out: Any = None
) -> Any:
    """Returns the product over all axes, or over those named."""
    frame = _frame(1)
    if dtype is not None:
        x = converted(operand(x), numpy_dtype(dtype), frame)
    return written(_reduce(reduce.prod, x, axis, keepdim, frame), out, "prod", frame)


@method
def all(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns whether every element is true."""
    return _reduce(reduce.all, x, axis, keepdim, _frame(1))


@method
def any(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns whether some element is true."""
    return _reduce(reduce.any, x, axis, keepdim, _frame(1))


@method
def logsumexp(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns log(sum(exp(x))), without overflow."""
    x = floating(x, _frame(1), "logsumexp")
    return native_nn.logsumexp(x, axes_in(axis, x), bool(keepdim))


def _position(find_: Any, x: Any, axis: Any, keepdim: bool, dtype: Any) -> Any:
    if dtype is None or numpy_dtype(dtype) not in (np.int32, np.int64):
        raise InvalidValueError(
            f"The attribute of dtype in argmin/argmax must be [int32] or [int64], but received [{dtype}]",
            site=here(),
        )
    x = operand(x)
    found = find_(x, axis=axes_in(axis, x), keepdims=keepdim)
    return converted(found, numpy_dtype(dtype), _frame(2))


@method
def argmax(x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns the position of the largest element."""
    return _position(native.argmax, x, axis, keepdim, dtype)


@method
def argmin(x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns the position of the smallest element."""
    return _position(native.argmin, x, axis, keepdim, dtype)


@composite(1, wide=True)
def _variance(x: Any, axis: Any, unbiased: bool, keepdim: bool) -> Any:
    axes = reduce.normalize_axes("var", axis, x.shape)
    count = int(np.prod([x.shape[i] for i in axes], dtype=int))
    centred = x - reduce.mean(x, axes=axes, keepdims=True)
    total = reduce.sum(pointwise.square(centred), axes=axes, keepdims=keepdim)
    return total / float(count - bool(unbiased))


def _count_of(name: str, axis: Any, x: Any) -> int:
    axes = reduce.normalize_axes(name, axis, x._spec.shape)
    return int(np.prod([x._spec.shape[i] for i in axes], dtype=int))


def _warn_of_one(x: Any, axis: Any, unbiased: bool) -> None:
    if unbiased and _count_of("var", axis, x) <= 1:
        warn_once("Degrees of freedom is <= 0.")


@method
def var(
    x: Any, axis: Any = None, unbiased: bool | None = None, keepdim: bool = False, name: Any = None,
    *, correction: float = 1,
) -> Any:  # fmt: skip
    """Returns the variance; `unbiased`, the default, divides by one less than the number of elements.

    Of one element that is NaN, with a warning. `correction` divides by so many less, and gives infinity where
    none are left. Raises ValueError if both are given.
    """
    x, axes, less = operand(x), axes_of(axis), float(correction)
    axes = axes_in(axes, x)
    if x._spec.dtype.kind in "iu":
        return _variance_of_whole_numbers(x, axes, 1 if unbiased or unbiased is None else 0, bool(keepdim))
    if less != 1:
        if unbiased is not None:
            raise InvalidValueError("Only one of unbiased and correction may be given", site=here())
        count = _count_of("var", axes, x)
        found = _variance(x, axes, False, bool(keepdim))
        return found * (count / (count - less) if count > less else math.inf)
    wanted = unbiased is None or bool(unbiased)
    _warn_of_one(x, axes, wanted)
    return _variance(x, axes, wanted, bool(keepdim))


def _variance_of_whole_numbers(x: Any, axes: Any, less: int, keepdim: bool) -> Any:
    """Returns a variance as Paddle computes it of whole numbers: each quotient is cut off."""
    total = sum(square(x - mean(x, axes, True)), axes, x.dtype, keepdim)
    count = x._spec.size // (total._spec.size or 1) - less
    exact = record(pointwise.divide, (_cast_within(total, "float64"), float(count)), {}, _frame(2))
    return cast(exact, x.dtype)


@method
def std(x: Any, axis: Any = None, unbiased: bool = True, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the standard deviation."""
    x = operand(x)
    axes = axes_in(axes_of(axis), x)
    if x._spec.dtype.kind in "iu":
        return sqrt(_variance_of_whole_numbers(x, axes, int(unbiased), bool(keepdim)))
    _warn_of_one(x, axes, unbiased)
    return _deviation(x, axes, bool(unbiased), bool(keepdim))


@composite(1, "std", wide=True)
def _deviation(x: Any, axis: Any, unbiased: bool, keepdim: bool) -> Any:
    return pointwise.sqrt(_variance(x, axis, unbiased, keepdim))


@composite(1, "norm", wide=True)
def _norm(x: Any, word: str, axis: Any, keepdim: bool) -> Any:
    # The order as a word: it selects the formula, and a number that varies would become an operand.
    axes = reduce.normalize_axes("norm", axis, x.shape)
    if word == "2.0":
        return pointwise.sqrt(reduce.sum(pointwise.square(x), axes=axes, keepdims=keepdim))
    if word == "0.0":
        steps = _cast(pointwise.not_equal(x, 0.0), dtype=x.dtype)
        # What counts has a gradient of zeros.
        return reduce.sum(pointwise.where(False, x, steps), axes=axes, keepdims=keepdim)
    size = pointwise.absolute(x)
    if word == "1.0":
        return reduce.sum(size, axes=axes, keepdims=keepdim)
    found = (reduce.max if word == "inf" else reduce.min)(size, axes=axes, keepdims=True)
    if not isinstance(axis, tuple):
        found = _to_each(found, size, axes)
    return found if keepdim else reduce.sum(found, axes=axes, keepdims=False)


def _to_each(found: Any, size: Any, axes: tuple[int, ...]) -> Any:
    """Gives each of equal elements the whole gradient of an extreme, which gives it a share."""
    held = pointwise.stop_gradient(found)
    count = reduce.sum(_cast(pointwise.equal(size, held), dtype=size.dtype), axes=axes, keepdims=True)
    return pointwise.where(pointwise.isfinite(held), found + (found - held) * (count - 1.0), found)


_OF_MATRICES = ("fro", "nuc", 1, -1, np.inf, -np.inf, 2, -2)


@method("paddle.linalg.norm")
def norm(
    x: Any, p: Any = None, axis: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the p-norm over all axes, over one, or, of matrices, over two.

    Of vectors p is a number (2 by default, inf, -inf, and 0, which counts nonzero elements) or "fro";
    of matrices, over two axes, "fro", "nuc", 1, -1, 2 (the largest singular value), -2, inf or -inf. Raises
    ValueError for others.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> paddle.linalg.norm(x).item(), paddle.linalg.norm(x, 2, [0, 1]).item()
    (5.0, 4.0)
    """
    if dtype is not None:
        x = cast(operand(x), dtype)
    if out is not None:
        return written(norm(x, p, axis, keepdim), out, "norm", _frame(1))
    x, axes = operand(x), axes_of(axis)
    if isinstance(axes, tuple) and len(axes) == 1:
        (axes,) = axes
    if axes is None and p == "nuc":
        axes = tuple(range(x._spec.ndim))
    if isinstance(p, str) and isinstance(axes, tuple) and len(axes) != 2:
        raise InvalidValueError(
            f"except axis type int or list (length of list == 2), found {len(axes)}", site=here()
        )
    if isinstance(axes, tuple) and len(axes) == 2:
        return _matrix_norm(x, 2 if p is None else p, axes, bool(keepdim))
    if p == "nuc":
        raise InvalidTypeError("norm: p='nuc' is of matrices, over two axes.", site=here())
    order = number("norm: p", 2 if p is None or (isinstance(p, str) and p == "fro") else p)
    return norm_of_vectors(x, order, axes, bool(keepdim))


def norm_of_vectors(x: Any, order: Any, axes: Any, keepdim: bool) -> Any:
    """Returns the norm of some order of the elements along axes, taken as one vector."""
    if order in (0, 1, np.inf, -np.inf):
        return _norm(x, str(float(order)), axes, keepdim)
    from penstock.functions.linalg import vector_norm  # Few programs use it, with all the functions it calls.

    return vector_norm(x, axis=axes, keepdims=keepdim, ord=order)


def _matrix_norm(x: Any, p: Any, axes: tuple[int, int], keepdim: bool) -> Any:
    if p not in _OF_MATRICES:
        raise InvalidValueError(
            f"just support p value 'fro','nuc',1,-1,inf,-inf,2,-2 if axis is 2D, found {p}", site=here()
        )
    own = x._spec.shape
    from penstock.functions.linalg import matrix_norm

    both = reduce.normalize_axes("norm", axes, own)
    ordered = tuple(one % len(own) for one in axes)
    found = matrix_norm(native.moveaxis(x, ordered, (-2, -1)), ord=p)
    if not keepdim:
        return found
    return native.reshape(found, tuple(1 if i in both else n for i, n in enumerate(own)))


@method
def add_n(inputs: Any, name: Any = None) -> Any:
    """Returns the sum of tensors."""
    if isinstance(inputs, HANDLES):
        return inputs
    total = inputs[0]
    for one in inputs[1:]:
        total = total + one
    return record(pointwise.identity, (total,), {}, _frame(1)) if len(inputs) == 1 else total


# -- products --------------------------------------------------------------------------------------------


@method("paddle.linalg.matmul")
def matmul(x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, name: Any = None) -> Any:
    """Returns the matrix product; a vector counts as a row on the left and as a column on the right."""
    frame = _frame(1)
    x = _swapped(x, frame) if transpose_x else x
    y = _swapped(y, frame) if transpose_y else y
    return _matmul(x, y, frame)


def _swapped(x: Any, frame: Any) -> Any:
    rank = len(x._spec.shape)
    if rank < 2:
        return x
    return record(shape.transpose, (x,), {"axes": (*range(rank - 2), rank - 1, rank - 2)}, frame)


@method
def mm(input: Any, mat2: Any, name: Any = None) -> Any:
    """Returns the matrix product."""
    return _matmul(input, mat2, _frame(1))


@method
def bmm(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the products of matrices, one after another: x [batch, n, k] and y [batch, k, m]."""
    lengths = [operand(one)._spec.shape for one in (x, y)]
    if [len(one) for one in lengths] != [3, 3] or lengths[0][0] != lengths[1][0]:
        raise InvalidValueError(
            "bmm takes as many matrices x as y, in three axes each, but the shapes are "
            f"{list(lengths[0])} and {list(lengths[1])}.",
            remedy="paddle.matmul broadcasts the axes before the matrices.",
            site=here(),
        )
    return _matmul(x, y, _frame(1))


@method
def dot(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the sum of products along the last axis."""
    return _reduce(reduce.sum, x * y, -1, False, _frame(1))


@method("ger")
def outer(x: Any, y: Any, name: Any = None) -> Any:
    """Returns all products of an element of x and one of y."""
    frame = _frame(1)
    column = record(shape.reshape, (x,), {"shape": (x._spec.size, 1)}, frame)
    return column * record(shape.reshape, (y,), {"shape": (1, y._spec.size)}, frame)


@method("t_")
def t(input: Any, name: Any = None) -> Any:
    """Returns a matrix with its axes exchanged; a vector as it is."""
    if len(input._spec.shape) > 2:
        raise InvalidValueError(
            "Input(input) only support N-D (N<=2) tensor, but received "
            f"length of Input(input) is {len(input._spec.shape)}.",
            remedy="Use paddle.transpose(x, perm).",
            site=here(),
        )
    return _swapped(input, _frame(1))


# -- questions -------------------------------------------------------------------------------------------


@method
def allclose(
    x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False, name: Any = None
) -> Any:
    """Returns whether all elements agree to a tolerance. Reads their values."""
    return data(np.asarray(np.allclose(np.asarray(x), np.asarray(y), rtol, atol, equal_nan)))


@method
def isclose(
    x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False, name: Any = None
) -> Any:
    """Returns which elements agree to a tolerance. Reads their values."""
    return data(np.asarray(np.isclose(np.asarray(x), np.asarray(y), rtol, atol, equal_nan)))


@method
def equal_all(x: Any, y: Any, name: Any = None) -> Any:
    """Returns whether two tensors have the same shape and elements. Reads their values."""
    return data(np.asarray(np.array_equal(np.asarray(x), np.asarray(y))))


@method
def is_tensor(x: Any) -> bool:
    """Returns whether x is a tensor."""
    return isinstance(x, HANDLES)


@method
def numel(x: Any, name: Any = None) -> Any:
    """Returns the number of elements, as a tensor."""
    return data(np.asarray(x._spec.size, np.int64))


@method
def rank(input: Any) -> Any:
    """Returns the number of axes, as a tensor."""
    return data(np.asarray(len(operand(input)._spec.shape), np.int32))


@in_paddle
def is_floating_point(x: Any) -> Any:
    """Returns whether a tensor's elements are real numbers with a fraction."""
    return x._spec.dtype.kind in "fV"


@method
def is_integer(x: Any) -> Any:
    """Returns whether a tensor's elements are whole numbers."""
    return x._spec.dtype.kind in "iu"
