"""Tensors as messages of protocol buffers: make_tensor_proto makes a TensorProto, make_ndarray reads one."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._dtype import BY_NUMBER, as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._examples import BytesList, FloatList, Int64List, _field, _fields, _Message, _varint
from penstock.tensorflow._strings import StringTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

NUMBERS = {name: number for number, name in BY_NUMBER.items()}
"""The numbers that TensorFlow has for dtypes in its messages."""
_WORDS = {
    "float32": "DT_FLOAT", "float64": "DT_DOUBLE", "float16": "DT_HALF", "bool": "DT_BOOL",
    "string": "DT_STRING", "bfloat16": "DT_BFLOAT16",
}  # fmt: skip
_VARINT, _FIXED32, _FIXED64, _BYTES = "varint", "<f", "<d", "bytes"
_FIELDS = {
    5: ("float_val", _FIXED32), 6: ("double_val", _FIXED64), 7: ("int_val", _VARINT),
    8: ("string_val", _BYTES), 9: ("scomplex_val", _FIXED32), 10: ("int64_val", _VARINT),
    11: ("bool_val", _VARINT), 12: ("dcomplex_val", _FIXED64), 13: ("half_val", _VARINT),
    16: ("uint32_val", _VARINT), 17: ("uint64_val", _VARINT),
}  # fmt: skip
"""The lists of values of a message by their numbers: the name, and how the values are written."""
_OF_DTYPES = {
    "float32": "float_val", "float64": "double_val", "string": "string_val", "complex64": "scomplex_val",
    "complex128": "dcomplex_val", "int64": "int64_val", "bool": "bool_val", "float16": "half_val",
    "bfloat16": "half_val", "uint32": "uint32_val", "uint64": "uint64_val",
    **dict.fromkeys(("int32", "int16", "int8", "uint16", "uint8"), "int_val"),
}  # fmt: skip
"""In which list the values of a dtype are."""


class Dim:
    """The length of one axis, and its name."""

    def __init__(self, size: int = 0, name: str = "") -> None:
        self.size, self.name = int(size), name


class TensorShapeProto(_Message):
    """The lengths of the axes."""

    def __init__(self, dim: Iterable[Dim] = (), unknown_rank: bool = False) -> None:
        self.dim, self.unknown_rank = list(dim), unknown_rank

    def _bytes(self) -> bytes:
        made = b""
        for one in self.dim:
            size = _varint(1 << 3) + _varint(one.size) if one.size else b""
            made += _field(2, size + (_field(2, one.name.encode()) if one.name else b""))
        return made + (_varint(3 << 3) + b"\1" if self.unknown_rank else b"")

    def _take(self, number: int, kind: int, content: Any) -> None:
        if number == 2:
            one = Dim()
            for inner, _, value in _fields(content):
                if inner == 1:
                    one.size = _signed(value)
                elif inner == 2:
                    one.name = bytes(value).decode()
            self.dim.append(one)
        elif number == 3:
            self.unknown_rank = bool(content)

    def _lines(self) -> list[str]:
        made = []
        for one in self.dim:
            inner = [f"  size: {one.size}"] if one.size else []
            made += ["dim {", *inner, *([f'  name: "{one.name}"'] if one.name else []), "}"]
        return made + (["unknown_rank: true"] if self.unknown_rank else [])


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


class TensorProto(_Message):
    """A tensor as a message: its dtype as a number, its shape, and its values as bytes or in a list.

    >>> from penstock import tensorflow as tf
    >>> tf.make_tensor_proto([1.5, 2.5])
    dtype: DT_FLOAT
    tensor_shape {
      dim {
        size: 2
      }
    }
    tensor_content: "\\000\\000\\300?\\000\\000 @"
    <BLANKLINE>
    """

    float_val: list[float]
    string_val: list[bytes]

    def __init__(
        self, dtype: int = 0, tensor_shape: TensorShapeProto | None = None, tensor_content: bytes = b"",
        version_number: int = 0, **values: Iterable[Any],
    ) -> None:  # fmt: skip
        self.dtype, self.version_number = int(dtype), version_number
        self.tensor_shape, self.tensor_content = tensor_shape or TensorShapeProto(), tensor_content
        for name, _ in _FIELDS.values():
            setattr(self, name, list(values.pop(name, ())))
        if values:
            raise ValueError(f'Protocol message TensorProto has no "{min(values)}" field.')

    def _bytes(self) -> bytes:
        made = _varint(1 << 3) + _varint(self.dtype) if self.dtype else b""
        made += _field(2, self.tensor_shape._bytes())
        made += _varint(3 << 3) + _varint(self.version_number) if self.version_number else b""
        made += _field(4, self.tensor_content) if self.tensor_content else b""
        for number, (name, how) in _FIELDS.items():
            values = getattr(self, name)
            if how == _BYTES:
                made += b"".join(_field(number, one) for one in values)
            elif values and how == _VARINT:
                made += _field(number, b"".join(_varint(int(one)) for one in values))
            elif values:
                made += _field(number, b"".join(struct.pack(how, one) for one in values))
        return made

    def _take(self, number: int, kind: int, content: Any) -> None:
        if number == 1:
            self.dtype = content
        elif number == 2:
            self.tensor_shape = TensorShapeProto.FromString(content)
        elif number == 3:
            self.version_number = content
        elif number == 4:
            self.tensor_content = bytes(content)
        elif number in _FIELDS:
            name, how = _FIELDS[number]
            values = getattr(self, name)
            if how == _BYTES:
                values.append(bytes(content))
            elif how == _VARINT:
                whole = Int64List()
                whole._take(1, kind, content)
                values += [_plain(name, one) for one in whole.value]
            else:
                values += [one for (one,) in struct.iter_unpack(how, content)]

    def _lines(self) -> list[str]:
        kind = BY_NUMBER.get(self.dtype, str(self.dtype))
        shape = [f"  {line}" for line in self.tensor_shape._lines()]
        made = [f"dtype: {_WORDS.get(kind, 'DT_' + kind.upper())}", "tensor_shape {", *shape, "}"]
        made += [f"tensor_content: {BytesList()._shown(self.tensor_content)}"] if self.tensor_content else []
        for name, how in _FIELDS.values():
            shown = {_BYTES: BytesList()._shown, _FIXED32: FloatList()._shown}.get(how, _shown)
            made += [f"{name}: {shown(one)}" for one in getattr(self, name)]
        return made


def _plain(name: str, one: int) -> Any:
    return bool(one) if name == "bool_val" else one & ((1 << 64) - 1) if name == "uint64_val" else one


def _shown(one: Any) -> str:
    if isinstance(one, bool):
        return "true" if one else "false"
    return f"{one:.17g}" if isinstance(one, float) else str(one)


@named("tf.make_tensor_proto", "tf.compat.v1.make_tensor_proto")
def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:  # fmt: skip
    """Returns values as a TensorProto, a message that other programs read.

    Python's numbers become float32 and int32, arrays keep their dtypes. With a `shape`, fewer values than it
    has places are allowed, unless `verify_shape` is set: the last one is repeated. `allow_broadcast` is for
    one value for all places.

    >>> from penstock import tensorflow as tf
    >>> message = tf.make_tensor_proto([[1, 2], [3, 4]])
    >>> tf.make_ndarray(message).tolist(), [one.size for one in message.tensor_shape.dim]
    ([[1, 2], [3, 4]], [2, 2])
    """
    if allow_broadcast and verify_shape:
        raise ArgumentError("allow_broadcast and verify_shape are not both allowed.", site=here())
    if isinstance(values, TensorProto):
        return values
    if values is None:
        raise ArgumentError("None values not supported.", site=here())
    array, kind = _array_of(values, None if dtype is None else as_dtype(dtype))
    lengths = array.shape if shape is None else tuple(int(n) for n in shape)
    total = int(np.prod(lengths, dtype=np.int64))
    if shape is not None:
        alone = allow_broadcast and array.shape in ((), (1,))
        if (verify_shape and array.shape != lengths) or (
            allow_broadcast and not alone and array.size != total
        ):
            raise TypeError(f"Expected Tensor's shape: {lengths}, but got {array.shape}.")
        if array.size > total:
            raise ArgumentError(
                f"Too many elements provided. Takes at most {total}, but got {array.size}.", site=here()
            )
    made = TensorProto(NUMBERS[kind], TensorShapeProto([Dim(n) for n in lengths]))
    if kind not in ("string", "bool") and total > 1 and array.size == total:
        made.tensor_content = array.tobytes()
    else:
        getattr(made, _OF_DTYPES[kind]).extend(_listed(array.ravel(), kind))
    return made


def _array_of(values: Any, wanted: Any) -> tuple[np.ndarray[Any, Any], str]:
    """Returns values as an array in the form of a dtype, and the name of the dtype."""
    if isinstance(values, StringTensor):
        array = np.asarray(values.numpy(), object)
    elif isinstance(values, Tensor | Cell):
        array = np.asarray(values.numpy())
    elif isinstance(values, np.ndarray | np.generic):
        array = np.asarray(values)
    else:
        array = np.array(values)
        if wanted is not None and not array.size:
            array = array.astype(object if wanted.name == "string" else wanted.as_numpy_dtype)
        for wide, narrow in ((np.float64, np.float32), (np.int64, np.int32)):
            fits = array.dtype == wide and np.array_equal(array.astype(narrow), array)
            if wanted is None and array.dtype == wide and (fits or wide is np.float64):
                array = array.astype(narrow)
        if wanted is not None and wanted.name != "string":
            if array.dtype.kind in "fc" and np.dtype(wanted.as_numpy_dtype).kind in "iub":
                first = array.ravel()[0]
                raise TypeError(
                    f"Expected {wanted.name}, but got {first} of type '{type(first.item()).__name__}'."
                )
            if array.dtype.kind in "USO":
                raise TypeError(
                    f"Expected {wanted.name}, but got {values} of type '{type(values).__name__}'."
                )
    if array.dtype.kind in "USO":
        if wanted is not None and wanted.name != "string":
            raise TypeError(f"`dtype` {wanted!r} is not compatible with {values} of dtype {array.dtype}.")
        flat = np.empty(array.size, object)
        flat[:] = [one if isinstance(one, bytes) else str(one).encode() for one in array.ravel().tolist()]
        return flat.reshape(array.shape), "string"
    if wanted is not None:
        if wanted.name == "string":
            raise TypeError(f"`dtype` {wanted!r} is not compatible with {values} of dtype {array.dtype}.")
        array = array.astype(wanted.as_numpy_dtype)
    kind = as_dtype(array.dtype).name
    if kind not in _OF_DTYPES:
        raise TypeError(f"Element type not supported in TensorProto: {kind}.")
    return array, kind


def _listed(values: np.ndarray[Any, Any], kind: str) -> list[Any]:
    """Returns values as they are listed in a message."""
    if kind.startswith("complex"):
        values = values.view(values.real.dtype)
    elif _OF_DTYPES[kind] == "half_val":
        values = values.view(np.uint16)
    found: list[Any] = values.tolist()
    return found


@named("tf.make_ndarray", "tf.compat.v1.make_ndarray")
def make_ndarray(tensor: Any) -> Any:
    """Returns the values of a TensorProto as an array; also of one of tensorboard or another package.

    >>> from penstock import tensorflow as tf
    >>> tf.make_ndarray(tf.make_tensor_proto(7, shape=[2, 2])).tolist()
    [[7, 7], [7, 7]]
    """
    lengths = [int(one.size) for one in tensor.tensor_shape.dim]
    kind = BY_NUMBER.get(tensor.dtype, str(tensor.dtype))
    if kind not in _OF_DTYPES:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}.")
    own = np.dtype(object) if kind == "string" else np.dtype(as_dtype(kind).as_numpy_dtype)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, own).copy().reshape(lengths)
    given = list(getattr(tensor, _OF_DTYPES[kind]))
    total = int(np.prod(lengths, dtype=np.int64))
    values: np.ndarray[Any, Any]
    if kind == "string":
        values = np.empty(len(given), object)
        values[:] = given
    elif _OF_DTYPES[kind] == "half_val":
        values = np.array(given, np.uint16).view(own)
    elif kind.startswith("complex"):
        values = np.array(given, np.zeros(0, own).real.dtype).view(own)
    else:
        values = np.array(given, own)
    if values.size and values.size < total:
        values = np.concatenate([values, np.repeat(values[-1:], total - values.size)])
    return values.reshape(lengths) if values.size else np.zeros(lengths, own)


__all__ = ["NUMBERS", "TensorProto", "TensorShapeProto", "make_ndarray", "make_tensor_proto"]
