"""How TensorFlow makes tensors of users' values: Python's numbers and lists, and arrays."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import DTypeError, PenstockError
from penstock.grad.rows import Rows
from penstock.ops import shape as _shape_ops
from penstock.ops.table import Primitive
from penstock.state.variable import read
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._dtype import as_dtype, c_name, numpy_dtype
from penstock.tensorflow._errors import (
    ArgumentError,
    ConversionError,
    InvalidArgumentError,
    NumberError,
    mixed,
    translated,
)
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor import EagerTensor, described
from penstock.tensorflow._tensor_shape import as_shape, brackets, shape_of
from penstock.trace.convert import copied, is_jax_array, refuse_masked
from penstock.trace.dtypes import PLAIN
from penstock.trace.lengths import Amount, LengthError, array, is_symbolic
from penstock.trace.source_site import here
from penstock.trace.structure import holds
from penstock.trace.tensor import Cell, Tensor, concrete, held

_frame = sys._getframe
HANDLES = (Tensor, Cell)
_INT32 = np.iinfo(np.int32)
# The kinds of Python values that TensorFlow converts to each kind of dtype.
_FITS = {"f": "bif", "V": "bif", "i": "bi", "u": "bi", "b": "b", "c": "bifc"}


def record(
    primitive: Primitive, operands: Sequence[Any], params: dict[str, Any], frame: FrameType, head: Any = None
) -> EagerTensor:
    """Records a primitive for the current line of `frame`; its errors are raised as TensorFlow's."""
    try:
        return primitive.record(operands, params, frame, head)  # type: ignore[return-value]
    except PenstockError as error:
        raise translated(error, primitive.name, operands, params) from None


def as_array(value: Any, dtype: np.dtype[Any] | None = None) -> np.ndarray[Any, Any]:
    """Returns data as a read-only array of TensorFlow's choice of dtype, or of the requested dtype.

    Python integers become int32 if they fit, and Python floats float32. An array is cast to any dtype;
    Python's own values only to one that can hold them: 1.5 does not become an integer.
    """
    try:
        if type(value) is np.ndarray and dtype is None and value.dtype in PLAIN:
            array = np.array(value)
        elif isinstance(value, np.ndarray | np.generic):
            array = copied(value, dtype)
        elif is_jax_array(value) or _is_array_like(value):
            array = copied(np.asanyarray(value), dtype)
        else:
            refuse_masked(value)
            array = _from_python(value, dtype)
    except DTypeError as error:
        if isinstance(error, ConversionError | NumberError):
            raise
        raise ConversionError(error.fact, why=error.why, remedy=error.remedy, site=error.site) from None
    array.flags.writeable = False
    return array


def _is_array_like(value: Any) -> bool:
    return hasattr(value, "__array__") and not isinstance(value, list | tuple)


def _from_python(value: Any, dtype: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    if value is None:
        raise none_refused()
    try:
        array = np.asarray(value)
    except ValueError:
        raise ConversionError(
            "Can't convert non-rectangular Python sequence to Tensor.",
            why=f"{_short(value)} has parts of different lengths.",
            site=here(),
        ) from None
    if array.dtype.kind in "US" and dtype is not None:
        raise _does_not_fit(value, dtype)
    if array.dtype.kind not in "biufc":
        raise _unsupported(value)
    if dtype is None:
        return copied(array, _natural(array, value))
    if array.dtype.kind.replace("u", "i") not in _FITS[dtype.kind] and array.size:
        raise _does_not_fit(value, dtype)
    return array.astype(dtype)


def _natural(array: np.ndarray[Any, np.dtype[Any]], value: Any) -> np.dtype[Any]:
    """Returns the dtype that TensorFlow gives to Python values."""
    first = value
    while isinstance(first, list | tuple) and len(first):
        first = first[0]
    kind = array.dtype.kind
    if isinstance(first, np.ndarray) or (isinstance(first, np.generic) and kind == "f"):
        return array.dtype
    if kind == "f":
        return np.dtype(np.float32)
    if kind in "iu":
        if array.dtype == np.uint64:
            raise ConversionError(
                "Can't convert Python sequence with out-of-range integer to Tensor.", site=here()
            )
        small = not array.size or (array.min() >= _INT32.min and array.max() <= _INT32.max)
        return np.dtype(np.int32 if small else np.int64)
    return array.dtype


def none_refused() -> ConversionError:
    """Returns the error for None where a tensor was needed."""
    return ConversionError(
        "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.",
        remedy="A None gradient means that no path leads there; penstock.explain says why.",
        site=here(),
    )


def _unsupported(value: Any) -> ConversionError:
    return ConversionError(
        f"Attempt to convert a value ({_short(value)}) with an unsupported type ({type(value)}) to a Tensor.",
        why="Its parts are neither numbers nor truth values; words become a tensor by tf.constant([...]).",
        site=here(),
    )


def _does_not_fit(value: Any, dtype: Any) -> NumberError:
    return NumberError(
        f"Cannot convert {_short(value)} to EagerTensor of dtype {c_name(dtype)}",
        remedy=(
            "Convert one side: tf.cast(x, tf.float32), or a number that is "
            f"{'whole' if np.dtype(dtype).kind in 'iu' else 'of that kind'}."
        ),
        site=here(),
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


# -- tensors --------------------------------------------------------------------------------------------


@named("tf.convert_to_tensor")
def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: Any = None) -> Any:
    """Returns a tensor from a tensor (unchanged), a variable, a number, a string, a list or an array.

    Raises ValueError for a tensor of another dtype than the requested one, and TypeError for a Python number
    that does not fit it. `dtype_hint` applies to values other than tensors, if they can have it.

    >>> from penstock import tensorflow as tf
    >>> tf.convert_to_tensor([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    if (dtype is None or dtype == "string") and is_text(value):
        return _text(value)
    if dtype is None and dtype_hint is not None and not isinstance(value, (*HANDLES, UnreadVariable)):
        try:
            return tensor_of(value, numpy_dtype(dtype_hint))
        except (ConversionError, NumberError):
            return tensor_of(value)
    return tensor_of(value, None if dtype is None else numpy_dtype(dtype))


def _text(value: Any) -> StringTensor:
    """Returns text as a tensor of strings of its own; refuses an array in which something is no string."""
    try:
        return StringTensor(np.asarray(strings(value)))
    except TypeError:
        if isinstance(value, list | tuple):
            raise
        parts = np.asarray(value).ravel().tolist()
        odd = next(one for one in parts if not isinstance(one, str | bytes | StringTensor))
        raise ConversionError(
            f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(odd).__name__}).",
            why=f"Among its strings there is {_short(odd)}.",
            remedy="Fill in missing values: column.fillna('').",
            site=here(),
        ) from None


def tensor_of(value: Any, dtype: np.dtype[Any] | None = None) -> EagerTensor:
    """Returns the argument as a tensor; `dtype` must equal that of a tensor, and be able to hold a number."""
    value = operand(value, dtype)
    if isinstance(value, Cell):
        return read(value)  # type: ignore[return-value]
    if not isinstance(value, Tensor):
        return concrete(as_array(value, dtype), EagerTensor)  # type: ignore[return-value]
    return value  # type: ignore[return-value]


CONVERSIONS: list[tuple[int, tuple[type, ...], Any]] = []
"""The functions that a program has registered for types of its own, with their priorities, in order."""


def _converted(value: Any, dtype: np.dtype[Any] | None) -> Any:
    """Returns what a registered function makes of a value, None if there is none for it."""
    for _, types, function in CONVERSIONS:
        if isinstance(value, types):
            wanted = None if dtype is None else as_dtype(dtype)
            found = function(value, dtype=wanted, name=None, as_ref=False)
            if found is not NotImplemented:
                return operand(found, dtype)
    return None


def axis_of(axis: Any) -> int:
    """Returns an axis as a number: TensorFlow also takes it as the only element of a list or tensor."""
    shape = axis._spec.shape if isinstance(axis, HANDLES) else np.shape(axis)
    if not shape:
        return int(axis)
    if math.prod(shape) != 1:
        raise InvalidArgumentError(
            f"The axis must be a tensor with a single value, got one of shape {list(shape)}.",
            remedy="Give one number, such as axis=1.",
            site=here(),
        )
    return int(np.asarray(axis.numpy() if isinstance(axis, HANDLES) else axis).reshape(()))


def operand(value: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """Returns a tensor or a variable unchanged, and any other value as a tensor."""
    if isinstance(value, HANDLES):
        if dtype is not None and value._spec.dtype != dtype:
            raise other_dtype(value, dtype)
        return value
    if isinstance(value, UnreadVariable):
        return operand(value._variable, dtype)
    dense = getattr(value, "_dense", None)
    if dense is not None:
        return dense()
    if isinstance(value, Rows):
        return value.dense()
    if CONVERSIONS:
        found = _converted(value, dtype)
        if found is not None:
            return found
    if isinstance(value, list | tuple) and holds(value, Tensor | Cell | UnreadVariable):
        return packed(value, dtype)
    try:
        return concrete(as_array(value, dtype), EagerTensor)
    except (ConversionError, LengthError):
        if not is_symbolic(value):
            raise
        wanted = np.dtype(np.float32 if type(value) is Amount else np.int32) if dtype is None else dtype
        return held(array(value, wanted), wanted, EagerTensor)


def other_dtype(value: Any, dtype: np.dtype[Any], what: str = "") -> ConversionError:
    """Returns the error for a tensor or variable whose dtype is not the requested one."""
    remedy = f"Convert it: tf.cast(x, tf.{dtype.name})."
    if isinstance(value, Cell):
        return ConversionError(
            f"Incompatible type conversion requested to type {dtype.name} for `tf.Variable of type "
            f"{value._spec.dtype.name}. (Variable: {described(value)})",
            remedy=remedy,
            site=here(),
        )
    return ConversionError(
        f"{what}Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
        f"{value._spec.dtype.name}: "
        f"{described(value)}",
        remedy=remedy,
        site=here(),
    )


def packed(values: Sequence[Any], dtype: np.dtype[Any] | None = None, axis: int = 0) -> EagerTensor:
    """Returns values of one shape, some of them tensors, joined along a new axis."""
    frame = _frame(1)
    parts = same_dtype(values, "Pack", dtype)
    first = parts[0].shape
    joined = []
    for number, part in enumerate(parts):
        if part.shape != first:
            raise InvalidArgumentError(
                f"Shapes of all inputs must match: values[0].shape = {brackets(first)} != "
                f"values[{number}].shape = {brackets(part.shape)}",
                site=here(),
            )
        lengths = list(part.shape)
        lengths.insert(axis, 1)
        joined.append(record(_shape_ops.reshape, (part,), {"shape": tuple(lengths)}, frame))
    return record(_shape_ops.concat, joined, {"axis": axis}, frame)


def same_dtype(values: Sequence[Any], op: str, dtype: np.dtype[Any] | None = None) -> list[Any]:
    """Returns operands as tensors of one dtype: that of the first tensor, or of the first value."""
    if dtype is None:
        dtype = next((v._spec.dtype for v in map(_resolved, values) if isinstance(v, Tensor | Cell)), None)
    parts: list[Any] = []
    for number, value in enumerate(values):
        value = _resolved(value)
        if isinstance(value, Tensor | Cell) and dtype is not None and value._spec.dtype != dtype:
            raise mixed(op, number, dtype, value._spec.dtype, here())
        part = operand(value, dtype)
        dtype = part._spec.dtype
        parts.append(part)
    return parts


def _resolved(value: Any) -> Any:
    return value._variable if isinstance(value, UnreadVariable) else value


@named("tf.constant", "tf.keras.backend.constant")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = "Const") -> EagerTensor:
    """Returns a tensor of numbers, lists or arrays, repeated or arranged to `shape` where one is given.

    >>> from penstock import tensorflow as tf
    >>> print(tf.constant(0.5, shape=[2]))
    tf.Tensor([0.5 0.5], shape=(2,), dtype=float32)
    """
    if is_text(value) and (dtype is None or dtype == "string"):
        made = _text(value)
        return made if shape is None else StringTensor(np.broadcast_to(made, tuple(as_shape(shape))))  # type: ignore[return-value]
    wanted = None if dtype is None else numpy_dtype(dtype)
    if isinstance(value, Tensor | Cell | UnreadVariable) or shape is None:
        tensor = tensor_of(value, wanted)
        if shape is None:
            return tensor
        value = tensor
    array = as_array(value, wanted)
    lengths = tuple(as_shape(shape))
    count = math.prod(lengths)
    if array.size == 1:
        array = np.full(lengths, array.reshape(()))
    elif array.size == count:
        array = array.reshape(lengths)
    else:
        raise NumberError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {_short(value)} has "
            f"{array.size} elements, "
            f"but got `shape` {shape_of(lengths)} with {count} elements.",
            site=here(),
        )
    array.flags.writeable = False
    return concrete(array, EagerTensor)  # type: ignore[return-value]


def integers(value: Any, attribute: str, allowed: str) -> Any:
    """Returns a tensor or variable of integers; refuses others in TensorFlow's words."""
    value = operand(value)
    if value._spec.dtype.kind not in "iu":
        raise InvalidArgumentError(
            f"Value for attr {attribute!r} of {c_name(value._spec.dtype)} is not in the list of allowed "
            f"values: {allowed}",
            remedy="Convert it: tf.cast(x, tf.int32).",
            site=here(),
        )
    return value


def lengths_of(shape: Any) -> tuple[int, ...]:
    """Returns a shape given as a list, a tensor of integers, or one number; reads the values of tensors."""
    if isinstance(shape, UnreadVariable):
        shape = shape._variable
    if isinstance(shape, Tensor | Cell):
        shape = np.asarray(shape).tolist()
    try:
        return tuple(as_shape(shape))
    except TypeError:
        raise ArgumentError(
            f"{_short(shape)} is not a shape.", remedy="Give a list of whole numbers.", site=here()
        ) from None
