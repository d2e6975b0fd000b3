"""Array functions under the names of the Python Array API standard (2024.12)."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.functions import operators
from penstock.ops import index, pointwise, reduce, shape
from penstock.ops.table import Primitive
from penstock.ops.table import cast as _cast
from penstock.state.variable import read
from penstock.trace.convert import convert
from penstock.trace.hot import find
from penstock.trace.recorder import as_tensor
from penstock.trace.site import here
from penstock.trace.tensor import Cell, Tensor

Axis = int | tuple[int, ...] | None
_frame = sys._getframe


def asarray(value: Any, *, dtype: Any = None) -> Tensor:
    """Returns array-like data as a tensor, copied. A tensor is returned as it is, a variable's value is read.

    Python floats become float32 and integers int64, unless `dtype` says otherwise; NumPy and JAX arrays keep
    their dtype. Raises DTypeError for data that is not numeric.

    >>> import penstock as ps
    >>> ps.asarray([1, 2.5])
    Tensor([1. , 2.5], dtype=float32)
    """
    if isinstance(value, Cell):
        value = read(value)
    if isinstance(value, Tensor):
        return value if dtype is None else astype(value, dtype)
    if isinstance(value, list | tuple) and builtins.any(isinstance(one, Tensor | Cell) for one in value):
        return stack([asarray(one, dtype=dtype) for one in value])
    return convert(value, dtype)


def astype(x: Any, dtype: Any) -> Tensor:
    """Returns `x` converted to another dtype. Between floating-point dtypes gradients pass.

    >>> import penstock as ps
    >>> ps.astype(ps.asarray([1.7, -1.7]), "int64")
    Tensor([ 1, -1], dtype=int64)
    """
    x = _tensor(x)
    dtype = np.dtype(dtype)
    if dtype == x.dtype:
        return read(x) if isinstance(x, Cell) else x
    return _cast.record((x,), {"dtype": dtype}, _frame(1))


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


# -- elementwise --------------------------------------------------------------------------------------------


def _elementwise(primitive: Primitive, purpose: str, example: str, result: str) -> Callable[..., Tensor]:
    two = primitive.name in _TWO

    def function_one(x: Any, /) -> Tensor:
        return primitive.record((x,), {}, _frame(1))

    def function_two(x1: Any, x2: Any, /) -> Tensor:
        return primitive.record((x1, x2), {}, _frame(1))

    function: Callable[..., Tensor] = function_two if two else function_one
    function.__name__ = function.__qualname__ = primitive.name
    function.__doc__ = (
        f"Returns {purpose}, elementwise{'; the operands broadcast' if two else ''}.\n\n"
        f"    >>> import penstock as ps\n    >>> ps.{example}\n    {result}\n    "
    )
    return function


_TWO = {
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "floor_divide", "remainder",
    "atan2", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "logical_and", "logical_or", "logical_xor",
}  # fmt: skip

add = _elementwise(pointwise.add, "x1 + x2", "add(1.0, 2.0)", "Tensor(3., dtype=float32)")
subtract = _elementwise(pointwise.subtract, "x1 - x2", "subtract(1.0, 2.0)", "Tensor(-1., dtype=float32)")
multiply = _elementwise(pointwise.multiply, "x1 * x2", "multiply(3.0, 2.0)", "Tensor(6., dtype=float32)")
divide = _elementwise(pointwise.divide, "x1 / x2", "divide(3.0, 2.0)", "Tensor(1.5, dtype=float32)")
pow = _elementwise(pointwise.power, "x1 to the power x2", "pow(3.0, 2.0)", "Tensor(9., dtype=float32)")
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
    pointwise.logical_not, "the contrary", "logical_not(True)", "Tensor(False, dtype=bool)"
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
sign = _elementwise(
    pointwise.sign, "-1, 0 or 1; its gradient is zeros", "sign(-3.0)", "Tensor(-1., dtype=float32)"
)
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


def where(condition: Any, x1: Any, x2: Any) -> Tensor:
    """Returns x1 where the condition holds and x2 elsewhere; all three broadcast.

    Guard a function inside, not outside: the slope of the branch that is not chosen must stay finite.

    >>> import penstock as ps
    >>> x = ps.asarray([0.0, 4.0])
    >>> ps.where(x > 0, ps.sqrt(ps.where(x > 0, x, 1.0)), 0.0)
    Tensor([0., 2.], dtype=float32)
    """
    return pointwise.where.record((condition, x1, x2), {}, _frame(1))


def clip(x: Any, min: Any = None, max: Any = None) -> Tensor:
    """Returns x with every element brought into min .. max. Inside and on the border gradients pass.

    >>> import penstock as ps
    >>> ps.clip(ps.asarray([-2.0, 0.5]), -1.0, 1.0)
    Tensor([-1. ,  0.5], dtype=float32)
    """
    frame = _frame(1)
    if min is None and max is None:
        return asarray(x)
    if min is not None and max is not None:
        return pointwise.clip.record((x, min, max), {}, frame)
    # Not maximum or minimum: there, half of the gradient goes to a border that x lies on.
    outside, border = (pointwise.less, min) if max is None else (pointwise.greater, max)
    return pointwise.where.record((outside.record((x, border), {}, frame), border, x), {}, frame)


def stop_gradient(x: Any) -> Tensor:
    """Returns x, through which no gradient passes, of any order.

    >>> import penstock as ps
    >>> x = ps.Variable(2.0)
    >>> with ps.GradientTape() as tape:
    ...     y = x * ps.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    2.0
    """
    return pointwise.stop_gradient.record((x,), {}, _frame(1))


# -- reductions ---------------------------------------------------------------------------------------------


def _reduce(primitive: Primitive, x: Any, axis: Axis, keepdims: bool) -> Tensor:
    head = (primitive.code, tuple(axis) if isinstance(axis, list) else axis, keepdims)
    found = find(head, x)
    if found is not None:
        return found
    x = _tensor(x)
    axes = reduce.normalize_axes(primitive.name, axis, x.shape)
    return primitive.record((x,), {"axes": axes, "keepdims": bool(keepdims)}, _frame(2), head)


def sum(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns the sum over all axes, or over those named.

    >>> import penstock as ps
    >>> ps.sum(ps.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    Tensor([4., 6.], dtype=float32)
    """
    return _reduce(reduce.sum, x, axis, keepdims)


def mean(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns the arithmetic mean over all axes, or over those named.

    >>> import penstock as ps
    >>> ps.mean(ps.asarray([1.0, 2.0, 6.0]))
    Tensor(3., dtype=float32)
    """
    return _reduce(reduce.mean, x, axis, keepdims)


def prod(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns the product over all axes, or over those named.

    >>> import penstock as ps
    >>> ps.prod(ps.asarray([1.0, 2.0, 6.0]))
    Tensor(12., dtype=float32)
    """
    return _reduce(reduce.prod, x, axis, keepdims)


def max(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns the largest element; equal ones share the gradient.

    >>> import penstock as ps
    >>> ps.max(ps.asarray([1.0, 3.0, 2.0]))
    Tensor(3., dtype=float32)
    """
    return _reduce(reduce.max, x, axis, keepdims)


def min(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns the smallest element; equal ones share the gradient.

    >>> import penstock as ps
    >>> ps.min(ps.asarray([1.0, 3.0, 2.0]))
    Tensor(1., dtype=float32)
    """
    return _reduce(reduce.min, x, axis, keepdims)


def all(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns whether every element is true.

    >>> import penstock as ps
    >>> bool(ps.all(ps.asarray([True, False])))
    False
    """
    return _reduce(reduce.all, x, axis, keepdims)


def any(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Returns whether some element is true.

    >>> import penstock as ps
    >>> bool(ps.any(ps.asarray([True, False])))
    True
    """
    return _reduce(reduce.any, x, axis, keepdims)


def _position(primitive: Primitive, x: Any, axis: int | None, keepdims: bool, dtype: Any) -> Tensor:
    x = _tensor(x)
    frame = _frame(2)
    if axis is None:
        flat = shape.reshape.record((x,), {"shape": (x._spec.size,)}, frame)
        found = primitive.record((flat,), {"axis": 0, "dtype": np.dtype(dtype)}, frame)
        final: tuple[int, ...] = (1,) * len(x.shape) if keepdims else ()
    else:
        (one,) = reduce.normalize_axes(primitive.name, axis, x.shape)
        found = primitive.record((x,), {"axis": one, "dtype": np.dtype(dtype)}, frame)
        final = reduce.reduced(x.shape, (one,), keepdims)
    return found if found.shape == final else shape.reshape.record((found,), {"shape": final}, frame)


def argmax(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Returns the position of the largest element (discrete: no gradient).

    >>> import penstock as ps
    >>> int(ps.argmax(ps.asarray([1.0, 3.0, 2.0])))
    1
    """
    return _position(reduce.argmax, x, axis, keepdims, np.int64)


def argmin(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Returns the position of the smallest element (discrete: no gradient).

    >>> import penstock as ps
    >>> int(ps.argmin(ps.asarray([1.0, 3.0, 2.0])))
    0
    """
    return _position(reduce.argmin, x, axis, keepdims, np.int64)


# -- arrangement --------------------------------------------------------------------------------------------


def reshape(x: Any, shape_: Any = None, /, **keywords: Any) -> Tensor:
    """Returns x in another shape of as many elements; one length may be -1.

    >>> import penstock as ps
    >>> ps.reshape(ps.asarray([1.0, 2.0]), (2, -1)).shape
    (2, 1)
    """
    wanted = shape_ if shape_ is not None else keywords["shape"]
    x = _tensor(x)
    lengths = [int(n) for n in ((wanted,) if isinstance(wanted, int | np.integer) else wanted)]
    if -1 in lengths:
        rest = math.prod(n for n in lengths if n != -1)
        size = x._spec.size
        if lengths.count(-1) > 1 or (size % rest if rest else size):
            raise ShapeError(
                f"reshape: {x.shape} does not fit {tuple(lengths)}.",
                remedy=f"The lengths must come to {size} elements, with one -1 at most.",
                site=here(),
            )
        lengths[lengths.index(-1)] = size // rest if rest else 0
    return shape.reshape.record((x,), {"shape": tuple(lengths)}, _frame(1))


def permute_dims(x: Any, axes: Sequence[int]) -> Tensor:
    """Returns x with its axes in another order.

    >>> import penstock as ps
    >>> ps.permute_dims(ps.zeros((2, 3)), (1, 0)).shape
    (3, 2)
    """
    x = _tensor(x)
    order = tuple(int(axis) % len(x.shape) if x.shape else int(axis) for axis in axes)
    return shape.transpose.record((x,), {"axes": order}, _frame(1))


def matrix_transpose(x: Any) -> Tensor:
    """Returns x with its last two axes exchanged.

    >>> import penstock as ps
    >>> ps.matrix_transpose(ps.zeros((2, 3))).shape
    (3, 2)
    """
    rank = len(_tensor(x).shape)
    if rank < 2:
        raise ShapeError(
            f"matrix_transpose needs two axes; the shape is {_tensor(x).shape}.",
            remedy="Give it another axis with expand_dims.",
            site=here(),
        )
    return shape.transpose.record((x,), {"axes": (*range(rank - 2), rank - 1, rank - 2)}, _frame(1))


def broadcast_to(x: Any, shape_: Any = None, /, **keywords: Any) -> Tensor:
    """Returns x repeated along new axes, and along axes of length 1, to a shape.

    >>> import penstock as ps
    >>> ps.broadcast_to(ps.asarray([1.0, 2.0]), (2, 2))
    Tensor([[1., 2.],
     [1., 2.]], dtype=float32)
    """
    wanted = tuple(int(n) for n in (shape_ if shape_ is not None else keywords["shape"]))
    return shape.broadcast_to.record((x,), {"shape": wanted}, _frame(1))


def expand_dims(x: Any, *, axis: int = 0) -> Tensor:
    """Returns x with a new axis of length 1 at a position.

    >>> import penstock as ps
    >>> ps.expand_dims(ps.zeros((2, 3)), axis=-1).shape
    (2, 3, 1)
    """
    x = _tensor(x)
    rank = len(x.shape) + 1
    if not -rank <= axis < rank:
        raise ShapeError(f"expand_dims: axis {axis} is outside -{rank} .. {rank - 1}.", site=here())
    lengths = list(x.shape)
    lengths.insert(axis % rank, 1)
    return shape.reshape.record((x,), {"shape": tuple(lengths)}, _frame(1))


def squeeze(x: Any, axis: Axis = None) -> Tensor:
    """Returns x without the named axes, which must have length 1; without a name, without all such axes.

    >>> import penstock as ps
    >>> ps.squeeze(ps.zeros((2, 1)), axis=1).shape
    (2,)
    """
    x = _tensor(x)
    if axis is None:
        axes: tuple[int, ...] = tuple(i for i, n in enumerate(x.shape) if n == 1)
    else:
        axes = reduce.normalize_axes("squeeze", axis, x.shape)
    for one in axes:
        if x.shape[one] != 1:
            raise ShapeError(
                f"squeeze: axis {one} of shape {x.shape} has length {x.shape[one]}, not 1.", site=here()
            )
    return shape.reshape.record((x,), {"shape": reduce.reduced(x.shape, axes, False)}, _frame(1))


def concat(arrays: Sequence[Any], *, axis: int | None = 0) -> Tensor:
    """Returns the arrays joined along an axis; with `axis=None`, flattened first.

    >>> import penstock as ps
    >>> ps.concat([ps.asarray([1.0]), ps.asarray([2.0, 3.0])])
    Tensor([1., 2., 3.], dtype=float32)
    """
    parts = [_tensor(one) for one in arrays]
    frame = _frame(1)
    if not parts:
        raise ShapeError("concat was given no arrays.", remedy="Give one at least.", site=here())
    if axis is None:
        parts = [shape.reshape.record((one,), {"shape": (one._spec.size,)}, frame) for one in parts]
        axis = 0
    (one_axis,) = reduce.normalize_axes("concat", axis, parts[0].shape)
    return shape.concat.record(parts, {"axis": one_axis}, frame)


def stack(arrays: Sequence[Any], *, axis: int = 0) -> Tensor:
    """Returns arrays of one shape joined along a new axis.

    >>> import penstock as ps
    >>> ps.stack([ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0])]).shape
    (2, 2)
    """
    frame = _frame(1)
    parts = []
    for one in arrays:
        one = _tensor(one)
        lengths = list(one.shape)
        lengths.insert(axis % (len(lengths) + 1), 1)
        parts.append(shape.reshape.record((one,), {"shape": tuple(lengths)}, frame))
    if not parts:
        raise ShapeError("stack was given no arrays.", remedy="Give one at least.", site=here())
    return shape.concat.record(parts, {"axis": axis % len(parts[0].shape)}, frame)


def flip(x: Any, *, axis: Axis = None) -> Tensor:
    """Returns x with the order of its elements reversed along all axes, or along those named.

    >>> import penstock as ps
    >>> ps.flip(ps.asarray([1.0, 2.0]))
    Tensor([2., 1.], dtype=float32)
    """
    x = _tensor(x)
    return shape.flip.record((x,), {"axes": reduce.normalize_axes("flip", axis, x.shape)}, _frame(1))


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Tensor:
    """Returns the slices of x at `indices` (integers from 0) along an axis. Its gradient is `Rows`.

    An index out of range raises RangeError when the value is computed, and changes no variable.

    >>> import penstock as ps
    >>> ps.take(ps.asarray([1.0, 2.0, 3.0]), ps.asarray([2, 0]))
    Tensor([3., 1.], dtype=float32)
    """
    x = _tensor(x)
    if axis is None and len(x.shape) != 1:
        raise ShapeError(
            f"take needs an axis for a value of shape {x.shape}.",
            remedy="Name it, for example take(x, indices, axis=0).",
            site=here(),
        )
    (one,) = reduce.normalize_axes("take", 0 if axis is None else axis, x.shape)
    return index.take.record((x, indices), {"axis": one}, _frame(1))


def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Returns the matrix product over the last two axes; axes before them broadcast.

    >>> import penstock as ps
    >>> ps.matmul(ps.ones((2, 3)), ps.ones((3, 4))).shape
    (2, 4)
    """
    return operators.matmul(_tensor(x1), _tensor(x2), _frame(1))  # type: ignore[no-any-return]


# -- creation -----------------------------------------------------------------------------------------------


def full(shape_: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Returns a tensor of a shape in which every element is the same.

    >>> import penstock as ps
    >>> ps.full((2,), 7.0)
    Tensor([7., 7.], dtype=float32)
    """
    lengths = (int(shape_),) if isinstance(shape_, int | np.integer) else tuple(int(n) for n in shape_)
    value = asarray(fill_value, dtype=dtype)
    if value._value is not None:
        return convert(np.broadcast_to(np.asarray(value._value), lengths))
    return shape.broadcast_to.record((value,), {"shape": lengths}, _frame(1))


def zeros(shape_: Any, *, dtype: Any = np.float32) -> Tensor:
    """Returns a tensor of zeros.

    >>> import penstock as ps
    >>> ps.zeros((2,))
    Tensor([0., 0.], dtype=float32)
    """
    return full(shape_, 0, dtype=dtype)


def ones(shape_: Any, *, dtype: Any = np.float32) -> Tensor:
    """Returns a tensor of ones.

    >>> import penstock as ps
    >>> ps.ones((2,))
    Tensor([1., 1.], dtype=float32)
    """
    return full(shape_, 1, dtype=dtype)


def zeros_like(x: Any, *, dtype: Any = None) -> Tensor:
    """Returns zeros of the shape, and unless told otherwise the dtype, of x.

    >>> import penstock as ps
    >>> ps.zeros_like(ps.ones((2,)))
    Tensor([0., 0.], dtype=float32)
    """
    x = _tensor(x)
    return full(x.shape, 0, dtype=x.dtype if dtype is None else dtype)


def ones_like(x: Any, *, dtype: Any = None) -> Tensor:
    """Returns ones of the shape, and unless told otherwise the dtype, of x.

    >>> import penstock as ps
    >>> ps.ones_like(ps.zeros((2,)))
    Tensor([1., 1.], dtype=float32)
    """
    x = _tensor(x)
    return full(x.shape, 1, dtype=x.dtype if dtype is None else dtype)


def arange(start: float, stop: float | None = None, step: float = 1, *, dtype: Any = None) -> Tensor:
    """Returns evenly spaced values from `start` up to, not including, `stop`.

    >>> import penstock as ps
    >>> ps.arange(3)
    Tensor([0, 1, 2], dtype=int64)
    """
    if stop is None:
        start, stop = 0, start
    values = np.arange(start, stop, step)
    return convert(
        values, dtype if dtype is not None else (np.float32 if values.dtype.kind == "f" else np.int64)
    )


def one_hot(indices: Any, num_classes: int, *, dtype: Any = np.float32) -> Tensor:
    """Returns, for each index, a row of zeros with a one at the index; all zeros for an index outside.

    >>> import penstock as ps
    >>> ps.one_hot(ps.asarray([1]), 3)
    Tensor([[0., 1., 0.]], dtype=float32)
    """
    return index.one_hot.record((indices,), {"length": int(num_classes), "dtype": np.dtype(dtype)}, _frame(1))


__all__ = [
    "abs", "acos", "add", "all", "any", "arange", "argmax", "argmin", "asarray", "asin", "astype", "atan",
    "atan2", "broadcast_to", "ceil", "clip", "concat", "cos", "cosh", "divide", "equal", "erf", "exp",
    "expand_dims", "expm1", "flip", "floor", "floor_divide", "full", "greater", "greater_equal", "isfinite",
    "isinf", "isnan", "less", "less_equal", "log", "log1p", "logical_and", "logical_not", "logical_or",
    "logical_xor", "matmul", "matrix_transpose", "max", "maximum", "mean", "min", "minimum", "multiply",
    "negative", "not_equal", "one_hot", "ones", "ones_like", "permute_dims", "pow", "prod", "remainder",
    "reshape", "round", "rsqrt", "sign", "sin", "sinh", "sqrt", "square", "squeeze", "stack",
    "stop_gradient", "subtract", "sum", "take", "tan", "tanh", "trunc", "where", "zeros", "zeros_like",
]  # fmt: skip
