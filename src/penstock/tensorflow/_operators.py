"""Operators of TensorFlow's tensors and variables: its dtype rules over the native hot path."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.functions import operators
from penstock.functions.indexing import get_item
from penstock.ops import bits, index, linear, pointwise, shape
from penstock.ops.promotion import kind_of, native, rules
from penstock.ops.table import Primitive, cast
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import none_refused, operand, other_dtype, record, tensor_of
from penstock.tensorflow._dtype import c_name
from penstock.tensorflow._errors import (
    NUMERIC,
    ArgumentError,
    InvalidArgumentError,
    NumberError,
    mixed,
    refused_dtype,
    translated,
)
from penstock.tensorflow._tensor import EagerTensor, described
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.fast_path import Method
from penstock.trace.lengths import Amount, Length, whole
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_LOGICAL = (pointwise.logical_and, pointwise.logical_or, pointwise.logical_xor)
_BITWISE = dict(zip(_LOGICAL, (bits.bitwise_and, bits.bitwise_or, bits.bitwise_xor), strict=True))
_EQUALITY = (pointwise.equal, pointwise.not_equal)
_FIRST_OPERAND = {"where": 1}
"""Which operand the first of those that must agree is."""


def strict(name: str, specs: Sequence[Spec | None], numbers: Sequence[Any]) -> np.dtype[Any]:
    """Returns the one dtype of the operands, which TensorFlow does not mix. Numbers were checked before."""
    chosen = None
    for position, one in enumerate(specs, _FIRST_OPERAND.get(name, 0)):
        if one is None:
            continue
        if chosen is None:
            chosen = one.dtype
        elif one.dtype != chosen:
            raise mixed(name, position, chosen, one.dtype, here())
    assert chosen is not None
    return chosen


rules["tensorflow"] = strict


class _NumpyStyle:
    """How operands are promoted and indices taken after `tf.experimental.numpy` has been asked for it."""

    promoted: Callable[[Any, Any], tuple[Any, Any]] | None = None
    item: Callable[[Any, Any, Any], Any] | None = None
    product: Callable[[Any, Any], Any] | None = None


numpy_style = _NumpyStyle()


def agreeing(primitive: Primitive, mine: Any, other: Any, reflected: bool) -> Any:
    """Returns the other operand of an operator as TensorFlow takes it: a number that fits, or a tensor."""
    dtype = mine._spec.dtype
    kind = kind_of(dtype)
    if isinstance(other, UnreadVariable):
        other = other._variable
    if isinstance(other, Tensor | Cell):
        return other
    if other is None:
        raise none_refused()
    if (type(other) in (float, Amount) and kind == "f") or (type(other) in (int, Length) and kind in "if"):
        return other
    try:
        return operand(other, dtype)
    except NumberError:
        found = "string" if isinstance(other, str) else tensor_of(other)._spec.dtype
        if primitive is pointwise.add and not reflected:
            raise mixed("add", 1, dtype, found, here()) from None
        if primitive is pointwise.divide and not reflected:
            raise NumberError(
                f"`x` and `y` must have the same dtype, got tf.{dtype.name} != tf.{found}.",
                remedy="Convert one side first: tf.cast(x, tf.float32).",
                site=here(),
            ) from None
        raise


def recorded(
    primitive: Primitive, mine: Any, other: Any, reflected: bool, frame: Any, of_operator: bool
) -> Any:
    """Records an operation of two operands by TensorFlow's rules; `mine` is a tensor or a variable."""
    if of_operator and other is None and primitive in _EQUALITY and isinstance(mine, Tensor):
        return primitive is pointwise.not_equal
    if of_operator and (getattr(mine, "_promotes", False) or getattr(other, "_promotes", False)):
        mine, other = promoted(primitive, mine, other, frame)
    elif of_operator and numpy_style.promoted is not None:
        mine, other = numpy_style.promoted(mine, other)
    dtype = mine._spec.dtype
    if dtype == np.bool_ and primitive is pointwise.multiply and not reflected:
        other = _truths(other)
    if dtype == np.bool_ and primitive is pointwise.add and not reflected and other is not None:
        raise _no_arithmetic(primitive)
    other = agreeing(primitive, mine, other, reflected)
    if dtype == np.bool_ and primitive not in _LOGICAL and primitive not in _EQUALITY:
        if primitive is pointwise.multiply:
            return record(pointwise.logical_and, (mine, other), {}, frame)
        raise _no_arithmetic(primitive)
    if primitive in _LOGICAL and dtype != np.bool_:
        if kind_of(dtype) != "i":
            raise _no_bits(dtype)
        primitive = _BITWISE[primitive]
    if kind_of(dtype) == "i":
        _check_integers(primitive, other, reflected)
    left, right = (other, mine) if reflected else (mine, other)
    try:
        return _NATIVE.get(primitive.name, operators.record_binary)(primitive, left, right, frame)
    except ShapeError as error:
        if of_operator and primitive in _EQUALITY:
            return tensor_of(primitive is pointwise.not_equal)
        raise translated(error, primitive.name, (left, right), {}) from None
    except PenstockError as error:
        raise translated(error, primitive.name, (left, right), {}) from None


def promoted(primitive: Primitive, mine: Any, other: Any, frame: Any) -> tuple[Any, Any]:
    """Returns operands in one dtype where a variable of Keras, which mixes dtypes, is among them.

    Keras' operators convert both to the dtype of JAX's lattice of dtypes. A tensor on the left comes first
    with TensorFlow's own operator: that refuses sums, comparisons and matrix products before Keras is asked.
    """
    if isinstance(other, UnreadVariable):
        other = other._variable
    elif isinstance(other, np.ndarray | np.generic):
        other = tensor_of(other)
    number = other if type(other) in (int, float) else None
    if number is None and not isinstance(other, Tensor | Cell):
        return mine, other
    own = mine._spec.dtype
    if number is None and own != other._spec.dtype and not getattr(mine, "_promotes", False):
        if primitive in _COMPARED:
            raise other_dtype(other, own)
        if primitive not in _ASKED or own == np.bool_:
            return mine, other
    specs = [mine._spec, None if number is not None else other._spec]
    dtype = native(primitive.name, specs, [None, number])
    if own != dtype:
        mine = record(cast, (mine,), {"dtype": dtype}, frame)
    if number is None and other._spec.dtype != dtype:
        other = record(cast, (other,), {"dtype": dtype}, frame)
    return mine, other


_ASKED = (
    pointwise.subtract, pointwise.multiply, pointwise.divide, pointwise.floor_divide, pointwise.remainder,
    pointwise.power,
)  # fmt: skip
_COMPARED = (
    *_EQUALITY, pointwise.less, pointwise.less_equal, pointwise.greater, pointwise.greater_equal,
)  # fmt: skip


def _quotient(primitive: Primitive, left: Any, right: Any, frame: Any) -> Any:
    """Records `/`: integers of at most 16 bits are divided as float32, longer ones as float64."""
    owner = next(one for one in (left, right) if isinstance(one, Tensor | Cell))
    own = owner._spec.dtype
    if kind_of(own) == "i" and own.itemsize <= 2:
        left, right = (
            record(cast, (one,), {"dtype": np.dtype(np.float32)}, frame)
            if isinstance(one, Tensor | Cell)
            else float(one)
            for one in (left, right)
        )
    return operators.record_divide(primitive, left, right, frame)


_NATIVE: dict[str, operators.Slow] = {"divide": _quotient, "power": operators.record_power}


def _truths(value: Any) -> Any:
    """Returns the operand of a product with booleans: TensorFlow converts numbers to booleans there."""
    if value is None or isinstance(value, Tensor | Cell | UnreadVariable | str):
        return value
    return tensor_of(np.asarray(value, np.bool_))


def _no_arithmetic(primitive: Primitive) -> PenstockError:
    """Returns the error for arithmetic with booleans."""
    if primitive is pointwise.divide:
        return NumberError(
            "Invalid dtype tf.bool in __truediv__.",
            remedy="Convert the booleans first: tf.cast(x, tf.float32).",
            site=here(),
        )
    return refused_dtype(np.bool_, NUMERIC, site=here())


def _no_bits(dtype: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Value for attr 'T' of {c_name(dtype)} is not in the list of allowed values: bool",
        why="This works on integers, bit by bit, and on truth values.",
        remedy="Compare first: (x > 0) & (y > 0).",
        site=here(),
    )


def _check_integers(primitive: Primitive, other: Any, reflected: bool) -> None:
    if reflected or type(other) is not int:
        return
    if other == 0 and primitive in (pointwise.floor_divide, pointwise.remainder):
        raise InvalidArgumentError("Integer division by zero", site=here())
    if other < 0 and primitive is pointwise.power:
        raise InvalidArgumentError(
            "Integers to negative integer powers are not allowed",
            remedy="Convert the integers first: tf.cast(x, tf.float32).",
            site=here(),
        )


# -- matrix product -------------------------------------------------------------------------------------


def matmul(a: Any, b: Any, frame: Any) -> EagerTensor:
    """Returns the matrix product of operands with two axes or more."""
    try:
        if len(a._spec.shape) < 2 or len(b._spec.shape) < 2:
            raise ShapeError(
                "",
                remedy="Give a vector an axis: tf.expand_dims(x, 1), or use tf.linalg.matvec.",
                site=here(),
            )
        return operators.matmul(a, b, frame)  # type: ignore[no-any-return]
    except PenstockError as error:
        raise translated(error, "matmul", (a, b), {}) from None


def _matmul_method(reflected: bool) -> Any:
    def first_time(self: Any, other: Any) -> Any:
        if getattr(self, "_promotes", False):
            self, other = promoted(linear.matmul, self, other, user_frame(1))
        elif numpy_style.product is not None:
            return numpy_style.product(other, self) if reflected else numpy_style.product(self, other)
        if not isinstance(other, Tensor | Cell):
            other = operand(other, self._spec.dtype)
        return matmul(other, self, user_frame(1)) if reflected else matmul(self, other, user_frame(1))

    return Method(linear.matmul.code, EagerTensor, first_time, reflected)


# -- indexing -------------------------------------------------------------------------------------------


def _get_item(self: Any, key: Any) -> EagerTensor:
    return item(self, key, _frame(1))


def _get_variable_item(self: Any, key: Any) -> EagerTensor:
    tensor = item(self, key, _frame(1))
    tensor._sliced = (self, key)
    return tensor


def item(x: Any, key: Any, frame: Any) -> EagerTensor:
    """Returns `x[key]` by TensorFlow's rules: integers, slices, ..., None, scalar tensors, or one mask."""
    if isinstance(key, Tensor | Cell | np.ndarray) and getattr(key, "dtype", None) == np.bool_:
        return masked(x, key, frame)
    if numpy_style.item is not None and isinstance(x, Tensor):
        found = numpy_style.item(x, key, frame)
        if found is not None:
            return found  # type: ignore[no-any-return]
    keys = key if isinstance(key, tuple) else (key,)
    rank = len(x._spec.shape)
    used = sum(1 for one in keys if one is not None and one is not Ellipsis)
    axis = 0
    final = []
    for one in keys:
        if isinstance(one, list):
            raise InvalidArgumentError(
                f"Index out of range using input dim {rank}; input has only {rank} dims",
                why="TensorFlow takes a list as one index for each axis.",
                remedy=f"Select entries with tf.gather(x, {one!r}).",
                site=here(),
            )
        if one is Ellipsis:
            axis += rank - used
        elif one is not None:
            one = _one_index(x, one, axis, rank)
            axis += 1
        final.append(one)
    if isinstance(x, Cell) and any(isinstance(one, Tensor | Cell) for one in final):
        # TensorFlow slices the value that it has read: a gradient is dense, and no IndexedSlices.
        x = record(pointwise.identity, (x,), {}, frame)
    return get_item(x, tuple(final), frame)  # type: ignore[return-value]


def _one_index(x: Any, one: Any, axis: int, rank: int) -> Any:
    if axis >= rank:
        raise InvalidArgumentError(
            f"Index out of range using input dim {rank}; input has only {rank} dims", site=here()
        )
    if isinstance(one, slice):
        ends = (one.start, one.stop, one.step)
        return slice(*(whole(end) if isinstance(end, Tensor | Cell) else end for end in ends))
    if isinstance(one, Tensor | Cell) and kind_of(one._spec.dtype) == "i" and not one._spec.shape:
        return one
    if isinstance(one, bool | np.bool_) or not isinstance(one, int | np.integer | Length):
        text = described(one) if isinstance(one, Tensor | Cell) else repr(one)
        raise NumberError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            "tf.int32/tf.int64 tensors "
            f"are valid indices, got {text}",
            remedy="Select entries with tf.gather(x, indices).",
            site=here(),
        )
    length = x._spec.shape[axis]
    if not -length <= one < length:
        raise InvalidArgumentError(
            f"slice index {one} of dimension {axis} out of bounds.",
            why=f"Dimension {axis} has {length} entries (shape {x.shape}).",
            site=here(),
        )
    return one


def masked(x: Any, mask: Any, frame: Any) -> EagerTensor:
    """Returns the slices of x at which a mask is true. Looks at the mask, to know how many there are."""
    chosen = np.asarray(mask)
    covered = x._spec.shape[: chosen.ndim]
    if covered != chosen.shape or not chosen.ndim:
        raise ArgumentError(
            f"Shapes {tuple(covered)} and {chosen.shape} are incompatible",
            why="A mask must match the first axes of the tensor.",
            site=here(),
        )
    rows = (chosen.size, *x._spec.shape[chosen.ndim :])
    flat = record(shape.reshape, (x,), {"shape": rows}, frame)
    return record(index.take, (flat, tensor_of(np.flatnonzero(chosen))), {"axis": 0}, frame)


# -- installing -----------------------------------------------------------------------------------------

_BINARY = {
    "add": pointwise.add, "sub": pointwise.subtract, "mul": pointwise.multiply, "truediv": pointwise.divide,
    "floordiv": pointwise.floor_divide, "mod": pointwise.remainder, "pow": pointwise.power,
    "and": pointwise.logical_and, "or": pointwise.logical_or, "xor": pointwise.logical_xor,
}  # fmt: skip
_COMPARISONS = {
    "eq": pointwise.equal, "ne": pointwise.not_equal, "lt": pointwise.less, "le": pointwise.less_equal,
    "gt": pointwise.greater, "ge": pointwise.greater_equal,
}  # fmt: skip
_UNARY = {"neg": pointwise.negative, "abs": pointwise.absolute, "invert": pointwise.logical_not}


def _binary_method(primitive: Primitive, reflected: bool) -> Any:
    def first_time(self: Any, other: Any) -> Any:
        if getattr(other, "_comes_first", False):
            return NotImplemented
        return recorded(primitive, self, other, reflected, user_frame(1), True)

    return Method(primitive.code, EagerTensor, first_time, reflected)


def _unary_method(primitive: Primitive) -> Any:
    def first_time(self: Any) -> Any:
        whole = primitive is pointwise.logical_not and kind_of(self._spec.dtype) == "i"
        return record(bits.bitwise_invert if whole else primitive, (self,), {}, user_frame(1))

    return Method(primitive.code, EagerTensor, first_time)


def _unsupported(self: Any, *other: Any) -> Any:
    return NotImplemented


def _no_plus(self: Any) -> Any:
    raise TypeError(f"bad operand type for unary +: '{type(self).__name__}'")


def install(kind: type[Any], get_item: Any) -> None:
    """Gives a class TensorFlow's operators, and takes away those it has not."""
    for name in ("lshift", "rlshift", "rshift", "rrshift"):
        setattr(kind, f"__{name}__", _unsupported)
    kind.__pos__ = _no_plus
    for name, primitive in _BINARY.items():
        setattr(kind, f"__{name}__", _binary_method(primitive, False))
        setattr(kind, f"__r{name}__", _binary_method(primitive, True))
    for name, primitive in _COMPARISONS.items():
        setattr(kind, f"__{name}__", _binary_method(primitive, False))
    for name, primitive in _UNARY.items():
        setattr(kind, f"__{name}__", _unary_method(primitive))
    kind.__matmul__ = _matmul_method(False)
    kind.__rmatmul__ = _matmul_method(True)
    kind.__getitem__ = get_item


install(EagerTensor, _get_item)
install(ResourceVariable, _get_variable_item)
