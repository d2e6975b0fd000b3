"""Examples of record files as tensors, and tensors as bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant
from penstock.tensorflow._dtype import BY_NUMBER, as_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._examples import DecodeError, Example, SequenceExample, _field, _varint
from penstock.tensorflow._string_type import STRING
from penstock.tensorflow._strings import StringTensor, strings
from penstock.tensorflow._tensor_protos import NUMBERS, TensorProto, make_ndarray
from penstock.trace.source_site import here

_LISTS = {"string": "bytes_list", "float32": "float_list", "int64": "int64_list"}


@named("tf.io.FixedLenFeature", "tf.compat.v1.FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature of a fixed shape; without a default, every example has to have it."""

    shape: Any
    dtype: Any
    default_value: Any = None


@named("tf.io.VarLenFeature", "tf.compat.v1.VarLenFeature")
class VarLenFeature(NamedTuple):
    """A feature of any length, which becomes a sparse tensor."""

    dtype: Any


@named("tf.io.RaggedFeature")
class RaggedFeature(NamedTuple):
    """A feature of any length: of a single example, one row."""

    dtype: Any
    value_key: Any = None


@named("tf.io.FixedLenSequenceFeature", "tf.compat.v1.FixedLenSequenceFeature")
class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of parts of a fixed shape."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


def _tensor(values: Any, dtype: Any, shape: Any) -> Any:
    if dtype == STRING:
        flat = np.empty(len(values), object)
        flat[:] = list(values)
        return StringTensor(flat.reshape(shape))
    return constant(np.asarray(values, as_dtype(dtype).as_numpy_dtype).reshape(shape))


def _values(features: Any, key: str, dtype: Any) -> Any:
    """Returns the value of an example for a key; None if it has none."""
    name = as_dtype(dtype).name
    if name not in _LISTS:
        raise ArgumentError(
            f"Unsupported dtype {name} of feature {key!r}: float32, int64 and string are.", site=here()
        )
    feature = features.feature.get(key)
    kind = None if feature is None else feature.WhichOneof()
    if kind is None:
        return None
    if kind != _LISTS[name]:
        found = {one: dtype for dtype, one in _LISTS.items()}[kind]
        raise InvalidArgumentError(
            f"Key: {key}.  Data types don't match. Data type: {found} but expected type: {name}", site=here()
        )
    return getattr(feature, kind).value


def _parsed(features: Any, key: str, spec: Any) -> Any:
    if isinstance(spec, VarLenFeature):
        from penstock.tensorflow.sparse import SparseTensor

        values = _values(features, key, spec.dtype) or []
        rows = np.arange(len(values), dtype=np.int64).reshape(-1, 1)
        return SparseTensor(constant(rows), _tensor(values, as_dtype(spec.dtype), (-1,)), constant(
            np.array([len(values)], np.int64)))  # fmt: skip
    if isinstance(spec, RaggedFeature):
        return _tensor(
            _values(features, spec.value_key or key, spec.dtype) or [], as_dtype(spec.dtype), (-1,)
        )
    shape = [spec.shape] if isinstance(spec.shape, int) else list(spec.shape)
    values = _values(features, key, spec.dtype)
    if isinstance(spec, FixedLenSequenceFeature):
        return _tensor(values or [], as_dtype(spec.dtype), (-1, *shape))
    if values is None:
        if spec.default_value is None:
            raise InvalidArgumentError(
                f"Feature: {key} (data type: {as_dtype(spec.dtype).name}) is required but could not be "
                f"found.",
                origin=f"the example has {sorted(features.feature)}",
                site=here(),
            )
        values = np.broadcast_to(np.asarray(spec.default_value), shape).ravel().tolist()
        values = [one.encode() if isinstance(one, str) else one for one in values]
    if len(values) != int(np.prod(shape)):
        raise InvalidArgumentError(
            f"Key: {key}.  Number of {as_dtype(spec.dtype).name} values != expected.  values size: "
            f"{len(values)} "
            f"but output shape: {shape}",
            site=here(),
        )
    return _tensor(values, as_dtype(spec.dtype), shape)


def _example(serialized: bytes) -> Example:
    try:
        return Example.FromString(serialized)  # type: ignore[no-any-return]
    except DecodeError as error:
        raise InvalidArgumentError(
            f"Could not parse example input, value: {serialized[:40]!r}", origin=error.fact, site=here()
        ) from error


@named("tf.io.parse_single_example")
def parse_single_example(serialized: Any, features: Any, example_names: Any = None, name: Any = None) -> Any:
    """Returns the features of one serialized example as tensors, by name.

    Raises InvalidArgumentError for a feature that is missing without a default, of another kind or shape.
    """
    found = _example(strings(serialized).numpy()).features
    return {key: _parsed(found, key, spec) for key, spec in sorted(features.items())}


@named("tf.io.parse_example")
def parse_example(serialized: Any, features: Any, example_names: Any = None, name: Any = None) -> Any:
    """Returns the features of several serialized examples as tensors, with an axis of the examples first."""
    every = np.asarray(strings(serialized))
    if every.ndim == 0:
        return parse_single_example(serialized, features)
    rows = [_example(one).features for one in every.ravel().tolist()]
    return {key: _together(rows, key, spec) for key, spec in sorted(features.items())}


def _together(rows: list[Any], key: str, spec: Any) -> Any:
    if isinstance(spec, VarLenFeature):
        from penstock.tensorflow.sparse import SparseTensor

        kept = [_values(one, key, spec.dtype) or [] for one in rows]
        places = [(row, n) for row, values in enumerate(kept) for n in range(len(values))]
        values = [one for part in kept for one in part]
        shape = np.array([len(rows), max(map(len, kept), default=0)], np.int64)
        indices = constant(np.array(places, np.int64).reshape(-1, 2))
        return SparseTensor(indices, _tensor(values, as_dtype(spec.dtype), (-1,)), constant(shape))
    if isinstance(spec, RaggedFeature):
        from penstock.tensorflow._ragged.tensor import RaggedTensor

        kept = [_values(one, spec.value_key or key, spec.dtype) or [] for one in rows]
        values = [one for part in kept for one in part]
        return RaggedTensor.from_row_lengths(
            _tensor(values, as_dtype(spec.dtype), (-1,)), np.array([len(one) for one in kept], np.int64)
        )
    parts = [np.asarray(_parsed(one, key, spec)) for one in rows]
    if isinstance(spec, FixedLenSequenceFeature):
        longest = max(map(len, parts), default=0)
        empty = b"" if as_dtype(spec.dtype) == STRING else 0
        fill = getattr(spec, "default_value", None)
        fill = empty if fill is None else fill
        parts = [
            np.concatenate([one, np.full((longest - len(one), *one.shape[1:]), fill, one.dtype)])
            for one in parts
        ]
    made = np.stack(parts)
    return StringTensor(made) if as_dtype(spec.dtype) == STRING else constant(made)


@named("tf.io.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized: Any, context_features: Any = None, sequence_features: Any = None, example_name: Any = None,
    name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the features of a whole sequence, and those of its steps, which have an axis of the steps
    first."""
    found = SequenceExample.FromString(strings(serialized).numpy())
    context = {
        key: _parsed(found.context, key, spec) for key, spec in sorted((context_features or {}).items())
    }
    steps = {}
    for key, spec in sorted((sequence_features or {}).items()):
        shape = list(getattr(spec, "shape", ()))
        values = [one for feature in found.feature_lists.feature_list[key].feature
                  for one in getattr(feature, _LISTS[as_dtype(spec.dtype).name]).value]  # fmt: skip
        steps[key] = _tensor(values, as_dtype(spec.dtype), (-1, *shape))
    return context, steps


@named("tf.io.parse_sequence_example")
def parse_sequence_example(*arguments: Any, **options: Any) -> Any:
    """Not there for several examples at once."""
    raise ArgumentError(
        f"parse_sequence_example is not in penstock.tensorflow ({len(arguments) + len(options)} arguments "
        f"not read).",
        remedy="Map parse_single_sequence_example over the data set.",
        site=here(),
    )


@named("tf.io.serialize_tensor", "tf.compat.v1.serialize_tensor")
def serialize_tensor(tensor: Any, name: Any = None) -> StringTensor:
    """Returns a tensor as bytes, in TensorFlow's format."""
    value = tensor if isinstance(tensor, StringTensor) else np.asarray(constant(tensor).numpy())
    array = np.asarray(value)
    kind = "string" if isinstance(value, StringTensor) else array.dtype.name
    shape = b"".join(_field(2, _varint(1 << 3) + _varint(n)) for n in array.shape)
    made = _varint(1 << 3) + _varint(NUMBERS[kind]) + _field(2, shape)
    if kind == "string":
        made += b"".join(_field(8, one) for one in array.ravel().tolist())
    elif array.size:
        made += _field(4, np.ascontiguousarray(array).tobytes())
    return StringTensor(made)


@named("tf.io.parse_tensor", "tf.compat.v1.parse_tensor")
def parse_tensor(serialized: Any, out_type: Any, name: Any = None) -> Any:
    """Returns the tensor that serialize_tensor has written; raises InvalidArgumentError for another dtype."""
    data = strings(serialized).numpy()
    try:
        message = TensorProto.FromString(data)
    except DecodeError as error:
        raise InvalidArgumentError(
            f"Could not parse `serialized` as TensorProto: {data[:40]!r}", origin=error.fact, site=here()
        ) from error
    wanted = as_dtype(out_type)
    found = BY_NUMBER.get(message.dtype, str(message.dtype))
    if found != wanted.name:
        raise InvalidArgumentError(
            f"Type mismatch between parsed tensor ({found}) and dtype ({wanted.name})", site=here()
        )
    values = make_ndarray(message)
    return _tensor(values.ravel().tolist(), STRING, values.shape) if found == "string" else constant(values)
