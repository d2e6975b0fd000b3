"""Elementwise functions, comparisons and conversions under TensorFlow's names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.errors import PenstockError
from penstock.ops import pointwise
from penstock.ops import table as _table
from penstock.ops.promotion import kind_of
from penstock.ops.table import Primitive
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import operand, record, same_dtype, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import (
    FLOATING,
    ArgumentError,
    CallableError,
    InvalidArgumentError,
    refused_dtype,
    translated,
)
from penstock.tensorflow._operators import recorded
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import brackets
from penstock.trace.fast_path import find
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
One = Callable[..., EagerTensor]


def binary(primitive: Primitive, x: Any, y: Any, frame: FrameType) -> EagerTensor:
    """Records an operation of two operands, the first tensor among which fixes the dtype."""
    if isinstance(x, UnreadVariable):
        x = x._variable
    reflected = not isinstance(x, Tensor | Cell) and isinstance(y, Tensor | Cell)
    mine, other = (y, x) if reflected else (operand(x), y)
    return recorded(primitive, mine, other, reflected, frame, False)  # type: ignore[no-any-return]


def _two(names: str, primitive: Primitive, purpose: str) -> One:
    code = primitive.code

    def function(x: Any, y: Any, name: Any = None) -> EagerTensor:
        found: Any = find(code, x, y)
        return binary(primitive, x, y, _frame(1)) if found is None else found

    return row(function, names, f"Returns {purpose}, elementwise; the operands broadcast.")


def _one(names: str, primitive: Primitive, purpose: str, fractions_only: bool = False) -> One:
    code = primitive.code

    def function(x: Any, name: Any = None) -> EagerTensor:
        found: Any = find(code, x)
        if found is not None:
            return found  # type: ignore[no-any-return]
        x = operand(x)
        if fractions_only and kind_of(x._spec.dtype) not in "fc":
            raise refused_dtype(x._spec.dtype, FLOATING, site=here())
        return record(primitive, (x,), {}, _frame(1))

    return row(function, names, f"Returns {purpose}, elementwise.")


add = _two("tf.add tf.math.add", pointwise.add, "x + y")
subtract = _two("tf.subtract tf.math.subtract", pointwise.subtract, "x - y")
multiply = _two("tf.multiply tf.math.multiply", pointwise.multiply, "x * y")
divide = truediv = _two(
    "tf.divide tf.math.divide tf.truediv tf.math.truediv tf.realdiv",
    pointwise.divide,
    "x / y; integers are divided as float64",
)
pow = _two("tf.pow tf.keras.backend.pow tf.math.pow", pointwise.power, "x to the power y")
floordiv = _two(
    "tf.math.floordiv tf.compat.v1.floor_div tf.compat.v1.floordiv",
    pointwise.floor_divide,
    "x / y rounded down",
)
floormod = mod = _two(
    "tf.math.floormod tf.compat.v1.floormod tf.math.mod tf.compat.v1.mod",
    pointwise.remainder,
    "what floordiv leaves, with the sign of y",
)
maximum = _two(
    "tf.maximum tf.keras.backend.maximum tf.math.maximum",
    pointwise.first_maximum,
    "the larger operand; on a tie the first gets the gradient",
)
minimum = _two(
    "tf.minimum tf.keras.backend.minimum tf.math.minimum",
    pointwise.first_minimum,
    "the smaller operand; on a tie the first gets the gradient",
)
atan2 = _two("tf.atan2 tf.math.atan2", pointwise.atan2, "the angle of the point (y, x)")
equal = _two("tf.equal tf.keras.backend.equal tf.math.equal", pointwise.equal, "whether x == y")
not_equal = _two(
    "tf.not_equal tf.keras.backend.not_equal tf.math.not_equal", pointwise.not_equal, "whether x != y"
)
less = _two("tf.less tf.keras.backend.less tf.math.less", pointwise.less, "whether x < y")
less_equal = _two("tf.less_equal tf.math.less_equal", pointwise.less_equal, "whether x <= y")
greater = _two("tf.greater tf.keras.backend.greater tf.math.greater", pointwise.greater, "whether x > y")
greater_equal = _two("tf.greater_equal tf.math.greater_equal", pointwise.greater_equal, "whether x >= y")

abs = _one("tf.abs tf.keras.backend.abs tf.math.abs", pointwise.absolute, "the absolute value")
negative = _one("tf.negative tf.math.negative", pointwise.negative, "-x")
sign = _one("tf.sign tf.keras.backend.sign tf.math.sign", pointwise.direction, "-1, 0 or 1")
square = _one("tf.square tf.keras.backend.square tf.math.square", pointwise.square, "x * x")
sqrt = _one("tf.sqrt tf.keras.backend.sqrt tf.math.sqrt", pointwise.sqrt, "the square root")
rsqrt = _one("tf.math.rsqrt tf.compat.v1.rsqrt", pointwise.rsqrt, "1 / sqrt(x)")
exp = _one("tf.exp tf.keras.backend.exp tf.math.exp", pointwise.exp, "e to the power x")
expm1 = _one("tf.math.expm1 tf.compat.v1.expm1", pointwise.expm1, "exp(x) - 1")
log = _one("tf.math.log tf.keras.backend.log tf.compat.v1.log", pointwise.log, "the natural logarithm")
log1p = _one("tf.math.log1p tf.compat.v1.log1p", pointwise.log1p, "log(1 + x)")
sin = _one("tf.sin tf.keras.backend.sin tf.math.sin", pointwise.sin, "the sine of an angle in radians")
cos = _one("tf.cos tf.keras.backend.cos tf.math.cos", pointwise.cos, "the cosine of an angle in radians")
tan = _one("tf.tan tf.math.tan", pointwise.tan, "the tangent of an angle in radians")
tanh = _one("tf.tanh tf.keras.backend.tanh tf.math.tanh tf.nn.tanh", pointwise.tanh, "the hyperbolic tangent")
sigmoid = _one(
    "tf.sigmoid tf.keras.backend.sigmoid tf.math.sigmoid tf.nn.sigmoid",
    pointwise.sigmoid,
    "1 / (1 + exp(-x)), without overflow",
)
softplus = _one(
    "tf.math.softplus tf.keras.backend.softplus tf.nn.softplus",
    pointwise.softplus,
    "log(1 + exp(x)), without overflow",
)
floor = _one("tf.floor tf.math.floor", pointwise.floor, "x rounded down", True)
ceil = _one("tf.math.ceil tf.compat.v1.ceil", pointwise.ceil, "x rounded up", True)
is_nan = _one("tf.math.is_nan tf.compat.v1.is_nan", pointwise.isnan, "whether x is NaN", True)
is_finite = _one(
    "tf.math.is_finite tf.compat.v1.is_finite",
    pointwise.isfinite,
    "whether x is neither NaN nor infinite",
    True,
)


@named("tf.round", "tf.keras.backend.round", "tf.math.round")
def round(x: Any, name: Any = None) -> EagerTensor:
    """Returns x rounded to the nearest whole number, halves to even."""
    x = operand(x)
    return tensor_of(x) if kind_of(x._spec.dtype) == "i" else record(pointwise.round, (x,), {}, _frame(1))


@named("tf.math.is_inf", "tf.compat.v1.is_inf")
def is_inf(x: Any, name: Any = None) -> EagerTensor:
    """Returns whether x is infinite, elementwise."""
    frame = _frame(1)
    size = record(pointwise.absolute, (operand(x),), {}, frame)
    return record(pointwise.equal, (size, float("inf")), {}, frame)


@named("tf.math.reciprocal", "tf.compat.v1.reciprocal")
def reciprocal(x: Any, name: Any = None) -> EagerTensor:
    """Returns 1 / x, elementwise."""
    return binary(pointwise.divide, 1.0, operand(x), _frame(1))


@named("tf.math.squared_difference", "tf.compat.v1.squared_difference")
def squared_difference(x: Any, y: Any, name: Any = None) -> EagerTensor:
    """Returns (x - y) * (x - y), elementwise; the operands broadcast."""
    frame = _frame(1)
    return record(pointwise.square, (binary(pointwise.subtract, x, y, frame),), {}, frame)


@named("tf.math.divide_no_nan", "tf.compat.v1.div_no_nan")
def divide_no_nan(x: Any, y: Any, name: Any = None) -> EagerTensor:
    """Returns x / y, and 0 where y is 0, elementwise."""
    frame = _frame(1)
    x, y = same_dtype((x, y), "DivNoNan")
    zero = record(pointwise.equal, (y, 0.0), {}, frame)
    quotient = record(pointwise.divide, (x, record(pointwise.where, (zero, 1.0, y), {}, frame)), {}, frame)
    return record(pointwise.where, (zero, 0.0, quotient), {}, frame)


@named("tf.math.log_sigmoid", "tf.compat.v1.log_sigmoid", "tf.nn.log_sigmoid")
def log_sigmoid(x: Any, name: Any = None) -> EagerTensor:
    """Returns log(sigmoid(x)), elementwise, without overflow."""
    frame = _frame(1)
    negated = record(pointwise.negative, (operand(x),), {}, frame)
    return record(pointwise.negative, (record(pointwise.softplus, (negated,), {}, frame),), {}, frame)


def _logical(names: str, primitive: Primitive, purpose: str) -> One:
    def function(x: Any, y: Any, name: Any = None) -> EagerTensor:
        truths = [operand(one, np.dtype(np.bool_)) for one in (x, y)]
        return record(primitive, truths, {}, _frame(1))

    return row(function, names, f"Returns {purpose}, elementwise; the operands broadcast.")


logical_and = _logical("tf.logical_and tf.math.logical_and", pointwise.logical_and, "whether both hold")
logical_or = _logical("tf.logical_or tf.math.logical_or", pointwise.logical_or, "whether one holds")
logical_xor = _logical(
    "tf.math.logical_xor tf.compat.v1.logical_xor", pointwise.logical_xor, "whether just one holds"
)


@named("tf.logical_not", "tf.math.logical_not")
def logical_not(x: Any, name: Any = None) -> EagerTensor:
    """Returns the logical negation, elementwise."""
    return record(pointwise.logical_not, (operand(x, np.dtype(np.bool_)),), {}, _frame(1))


@named("tf.add_n", "tf.math.add_n")
def add_n(inputs: Any, name: Any = None) -> EagerTensor:
    """Returns the sum of tensors of one shape."""
    frame = _frame(1)
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ArgumentError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.",
            site=here(),
        )
    parts = same_dtype(inputs, "AddN")
    for number, part in enumerate(parts):
        if part.shape != parts[0].shape:
            raise InvalidArgumentError(
                "Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: "
                f"{brackets(parts[0].shape)} != input {number}: {brackets(part.shape)}",
                site=here(),
            )
    total = parts[0]
    for part in parts[1:]:
        total = record(pointwise.add, (total, part), {}, frame)
    return tensor_of(total)


@named("tf.math.accumulate_n", "tf.compat.v1.accumulate_n")
def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: Any = None) -> EagerTensor:
    """Returns the sum of tensors of one shape and dtype, which may be named: others are refused then.

    >>> from penstock import tensorflow as tf
    >>> print(tf.math.accumulate_n([[1, 2], [3, 4]], shape=[2]).numpy())
    [4 6]
    """
    parts = same_dtype(inputs, "AccumulateNV2") if isinstance(inputs, list | tuple) else inputs
    for part in parts[1:]:
        if part.shape != parts[0].shape:
            shapes = " and ".join(str(tuple(one._spec.shape)) for one in (parts[0], part))
            raise ArgumentError(f"Shapes {shapes} are not compatible", site=here())
    total = add_n(parts)
    if tensor_dtype is not None and total._spec.dtype != numpy_dtype(tensor_dtype):
        raise CallableError(
            f"tensor_dtype is {tensor_dtype}, but input is of type {total._spec.dtype.name}", site=here()
        )
    if shape is not None and not total.shape.is_compatible_with(shape):
        raise ArgumentError(
            f"accumulate_n: shape is {shape}, and the inputs have {list(total._spec.shape)}.", site=here()
        )
    return total


@named("tf.cast", "tf.keras.backend.cast", "tf.dtypes.cast")
def cast(x: Any, dtype: Any, name: Any = None) -> Any:
    """Returns x converted to another dtype; x itself if it has that dtype already.

    Between floating-point dtypes gradients pass; through integers and booleans none does.

    >>> from penstock import tensorflow as tf
    >>> print(tf.cast([1.7, -1.7], tf.int32))
    tf.Tensor([ 1 -1], shape=(2,), dtype=int32)
    """
    wanted = numpy_dtype(dtype)
    if getattr(x, "_is_sparse", False):
        return type(x)(x.indices, cast(x.values, dtype), x.dense_shape)
    x = operand(x)
    if x._spec.dtype == wanted:
        return x
    return record(_table.cast, (x,), {"dtype": wanted}, _frame(1))


# -- native functions composed of primitives ------------------------------------------------------------


def composed(
    function: Callable[..., Tensor], op: str, operands: Sequence[Any], **options: Any
) -> EagerTensor:
    """Calls a native function that is recorded as one event; its errors are raised as TensorFlow's."""
    for one in operands[:1]:
        if kind_of(one._spec.dtype) not in "fc":
            raise refused_dtype(one._spec.dtype, FLOATING, site=here())
    try:
        return function(*operands, **options)  # type: ignore[return-value]
    except PenstockError as error:
        raise translated(error, op, operands, options) from None
