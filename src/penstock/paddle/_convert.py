"""Converts users' values to tensors: `to_tensor`, operands of functions, and the resulting dtypes."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import DTypeError, PenstockError, ShapeError
from penstock.ops import shape as _shape_ops
from penstock.ops.promotion import kind_of, number_kind, rules
from penstock.ops.table import Primitive, cast
from penstock.paddle._declaring import in_paddle
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._standing import standing
from penstock.paddle._tensor import Leaf, Tensor
from penstock.trace import tensor as handles
from penstock.trace.convert import copied, is_jax_array, refuse_masked
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.structure import holds
from penstock.trace.tensor import Cell, concrete

_frame = sys._getframe
HANDLES = (handles.Tensor, Cell)
_ORDER = "bifc"
_NUMBERS = (bool, int, float, complex)


def promoted(name: str, specs: Sequence[Spec | None], numbers: Sequence[Any]) -> np.dtype[Any]:
    """Returns the dtype to which Paddle converts operands.

    Tensors of two floating-point dtypes get the wider one, and those of a complex and a real dtype a complex
    one; other different dtypes raise TypeError. A tensor
    without axes counts as a number next to one with axes. A number takes the tensor's dtype, unless it is a
    fraction and the tensor is not: then both take the default dtype.
    """
    with_axes = [one for one in specs if one is not None and one.shape]
    chosen: np.dtype[Any] | None = None
    for own in with_axes:
        chosen = own.dtype if chosen is None else _common(chosen, own.dtype)
    if not with_axes:
        chosen = _of_scalars([one.dtype for one in specs if one is not None])
    kinds = [number_kind(n) for n in numbers if n is not None]
    if with_axes:
        assert chosen is not None
        for one in specs:
            if one is not None and not one.shape and _rank(kind_of(one.dtype)) > _rank(kind_of(chosen)):
                chosen = one.dtype
    if chosen is None:
        chosen = {"b": np.dtype(np.bool_), "i": np.dtype(np.int64), "f": default_dtype(), "c": _COMPLEX}[
            max(kinds, key=_ORDER.index)
        ]
    for kind in kinds:
        if _rank(kind) > _rank(kind_of(chosen)):
            chosen = {"i": np.dtype(np.int64), "f": default_dtype(), "c": _COMPLEX}[kind]
    return chosen


_COMPLEX = np.dtype(np.complex64)


def _of_scalars(dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any] | None:
    """Returns the dtype of tensors without axes among themselves: the widest of the most general kind."""
    if not dtypes:
        return None
    highest = max((kind_of(one) for one in dtypes), key=_rank)
    chosen, *others = [one for one in dtypes if kind_of(one) == highest]
    for own in others:
        if own != chosen:
            chosen = _wider(chosen, own)
    return chosen


def _rank(kind: str) -> int:
    return _ORDER.index(kind)


def _wider(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype for numbers of two; bfloat16 counts as float16, and the two give float32."""
    if {a.itemsize, b.itemsize} == {2}:
        return a if a == b else np.dtype(np.float32)
    return np.result_type(*(np.dtype(np.float16) if one.kind == "V" else one for one in (a, b)))


def _common(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    if a == b:
        return a
    kinds = {kind_of(a), kind_of(b)}
    if kinds <= {"f", "c"}:
        return _wider(a, b)
    if "c" in kinds:
        return a if a.kind == "c" else b
    raise InvalidTypeError(
        "Type promotion only support calculations between floating-point numbers and between complex and "
        f"real numbers. But got different data type x: {a.name}, y: {b.name}.",
        remedy=f"Convert one operand: y.astype('{a.name}').",
        site=here(),
    )


rules["paddle"] = promoted


def record(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any], frame: FrameType) -> Any:
    """Records a primitive for the current line of `frame`; its errors are raised as Paddle's types."""
    try:
        return primitive.record(operands, params, frame)
    except PenstockError as error:
        raise translated(error) from None


def called(function: Any, *arguments: Any, **options: Any) -> Any:
    """Returns what a native function returns; its errors are raised as Paddle's types."""
    try:
        return function(*arguments, **options)
    except PenstockError as error:
        raise translated(error) from None


def translated(error: PenstockError) -> PenstockError:
    """Returns a native error as the type that Paddle raises."""
    if isinstance(error, ShapeError) and "broadcast" in error.fact:
        return _broadcast_words(error)
    if isinstance(error, ValueError | InvalidTypeError) or not isinstance(error, DTypeError):
        return error
    return InvalidTypeError(
        error.fact, origin=error.origin, why=error.why, remedy=error.remedy, site=error.site
    )


def _broadcast_words(error: ShapeError) -> PenstockError:
    found = re.findall(r"\(([\d, ]*)\)", error.fact)
    if len(found) != 2:
        return error
    x, y = ([int(n) for n in one.split(",") if n.strip()] for one in found)
    longer = max(len(x), len(y))
    a, b = ([1] * (longer - len(one)) + one for one in (x, y))
    place = next((i for i in range(longer) if a[i] != b[i] and 1 not in (a[i], b[i])), 0)
    return ShapeError(
        "Broadcast dimension mismatch. Operands could not be broadcast together with the shape of X = "
        f"{x} and the shape of Y = {y}. Received [{a[place]}] in X is not equal to [{b[place]}] in Y at "
        f"i:{place}.",
        origin=error.origin,
        remedy=error.remedy,
        site=error.site,
    )


# -- data ------------------------------------------------------------------------------------------------


def as_array(value: Any, dtype: np.dtype[Any] | None = None) -> np.ndarray[Any, Any]:
    """Returns data as a read-only array: Python floats in the default dtype, integers int64."""
    try:
        array = _as_array(value, dtype)
    except DTypeError as error:
        if isinstance(error, InvalidTypeError):
            raise
        raise InvalidTypeError(error.fact, why=error.why, remedy=error.remedy, site=error.site) from None
    array.flags.writeable = False
    return array


def _as_array(value: Any, dtype: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    if isinstance(value, np.ndarray | np.generic):
        return copied(value, dtype)
    if is_jax_array(value):
        return copied(np.asarray(value), dtype)
    if isinstance(value, bool | int | float | complex | list | tuple | range):
        refuse_masked(value)
        try:
            array = np.asarray(value)
        except ValueError:
            raise _unsupported(value) from None
        if array.dtype.kind not in "biufc":
            raise _unsupported(value)
        return copied(array, dtype if dtype is not None else _natural(array, value))
    if hasattr(value, "__array__"):
        return copied(np.asanyarray(value), dtype)
    raise _unsupported(value)


def _natural(array: np.ndarray[Any, np.dtype[Any]], value: Any) -> np.dtype[Any]:
    kind = array.dtype.kind
    first = value
    while isinstance(first, list | tuple) and len(first):
        first = first[0]
    if kind == "f":
        return array.dtype if isinstance(first, np.ndarray) else default_dtype()
    if kind == "c":
        return array.dtype if isinstance(first, np.ndarray) else _COMPLEX
    if kind in "iu" and not isinstance(first, np.ndarray | np.generic):
        return np.dtype(np.int64)
    return array.dtype


def _unsupported(value: Any) -> InvalidTypeError:
    return InvalidTypeError(
        f"Can't constructs a 'paddle.Tensor' with data type {type(value)}, data type must be "
        "scalar|list|tuple|np.ndarray|paddle.Tensor",
        remedy="Give numbers, nested lists of equal lengths, or an array.",
        site=here(),
    )


@in_paddle
def to_tensor(data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True) -> Any:
    """Returns a tensor of numbers, lists, arrays or another tensor; its gradient is wanted only on request.

    Python floats become the default dtype (float32), integers int64; NumPy's arrays keep their dtype. There
    is one place, so `place` does nothing.

    >>> from penstock import paddle
    >>> paddle.to_tensor([1, 2])
    Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
           [1, 2])
    """
    wanted = None if dtype is None else numpy_dtype(dtype)
    if isinstance(data, list | tuple) and holds(data, HANDLES):
        data = np.asarray([np.asarray(one) for one in data])
    if isinstance(data, HANDLES):
        standing()
        data = np.array(data._seen("to_tensor()", _frame(1)))  # type: ignore[union-attr]
    return Leaf(as_array(data, wanted), stop_gradient)


@in_paddle
def from_numpy(ndarray: Any) -> Any:
    """Returns an array as a tensor; the tensor has a copy of it."""
    return to_tensor(ndarray)


def data(array: Any) -> Any:
    """Returns an array as a tensor that a function has made."""
    standing()
    array = np.asarray(array)
    array.flags.writeable = False
    return concrete(array, Tensor)


def operand(value: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """Returns a tensor unchanged, and converts any other value to one."""
    if isinstance(value, HANDLES):
        return value
    if isinstance(value, list | tuple) and holds(value, HANDLES):
        return packed(value, _frame(1))
    return data(as_array(value, dtype))


def packed(values: Sequence[Any], frame: FrameType, axis: int = 0) -> Any:
    """Returns values of one shape joined along a new axis."""
    parts = [operand(one) for one in values]
    first = parts[0]._spec.shape
    axis = axis % (len(first) + 1)
    joined = []
    for one in parts:
        if one._spec.shape != first:
            raise InvalidValueError(
                f"The shapes of all inputs must be the same, but got {list(first)} and "
                f"{list(one._spec.shape)}.",
                site=here(),
            )
        lengths = (*first[:axis], 1, *first[axis:])
        joined.append(record(_shape_ops.reshape, (one,), {"shape": lengths}, frame))
    return record(_shape_ops.concat, joined, {"axis": axis}, frame)


def converted(value: Any, dtype: np.dtype[Any], frame: FrameType) -> Any:
    """Returns a tensor in another dtype; as it is if it has that one."""
    if value._spec.dtype == dtype:
        return value
    return record(cast, (value,), {"dtype": dtype}, frame)


def values_of(x: Any) -> np.ndarray[Any, Any]:
    """Returns the values of a tensor, which are read, or of a value that converts to one."""
    return np.asarray(operand(x).numpy())


def integers_in(value: Any) -> Any:
    """Returns a number, or numbers, with tensors of integers read; a tensor with axes becomes a tuple."""
    if isinstance(value, HANDLES):
        found = np.asarray(value).tolist()
        return found if isinstance(found, int) else tuple(found)
    if isinstance(value, list | tuple):
        return tuple(integers_in(one) for one in value)
    return int(value) if isinstance(value, np.integer) else value


def lengths_of(shape: Any) -> tuple[int, ...]:
    """Returns a shape given as a list, a tensor of integers, or one number; reads the values of tensors."""
    if isinstance(shape, HANDLES):
        shape = np.asarray(shape).reshape(-1).tolist()
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    return tuple(int(one) for one in shape)


def axes_in(axis: Any, x: Any) -> Any:
    """Returns a user's axes as None, a number, or a tuple; a tensor without axes may be asked for 0 or -1."""
    found = axes_of(axis)
    if found is not None and not x._spec.shape and found in (0, -1, (0,), (-1,)):
        return None
    return found


def axes_of(axis: Any) -> Any:
    """Returns a user's axes as None, a number, or a tuple."""
    if axis is None or isinstance(axis, int):
        return axis
    if isinstance(axis, HANDLES):
        axis = np.asarray(axis).tolist()
        return axis if isinstance(axis, int) else tuple(axis)
    found = tuple(int(one) for one in axis)
    return found if found else None
