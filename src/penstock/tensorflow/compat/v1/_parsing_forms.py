"""Records, lines and strings, with the names and the order of arguments that TensorFlow 1 has."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _parsing, io, ragged
from penstock.tensorflow._strings import strings as texts
from penstock.tensorflow.compat.v1 import strings
from penstock.tensorflow.compat.v1._built import built


@built("tf.compat.v1.decode_csv", "tf.compat.v1.io.decode_csv", type="DecodeCSV")
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: Any = None,
    na_value: str = "",
    select_cols: Any = None,
) -> Any:
    """Returns a tensor for each column of lines of comma-separated values."""
    return io.decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols)


@built("tf.compat.v1.decode_raw", "tf.compat.v1.io.decode_raw", type="DecodeRaw")
def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: Any = None,
    bytes: Any = None,
) -> Any:
    """Returns the bytes of strings as numbers, along a new last axis."""
    return io.decode_raw(bytes if input_bytes is None else input_bytes, out_type, little_endian)


@built(
    "tf.compat.v1.parse_single_example",
    "tf.compat.v1.io.parse_single_example",
    type="ParseSingleExample/ParseExample/ParseExampleV2",
)
def parse_single_example(serialized: Any, features: Any, name: Any = None, example_names: Any = None) -> Any:
    """Returns the tensors of an example. `example_names` does nothing: a message has the key."""
    return _parsing.parse_single_example(serialized, features)


@built("tf.compat.v1.parse_example", "tf.compat.v1.io.parse_example", type="ParseExample/ParseExampleV2")
def parse_example(serialized: Any, features: Any, name: Any = None, example_names: Any = None) -> Any:
    """Returns the tensors of several examples. `example_names` does nothing: a message has the key."""
    return _parsing.parse_example(serialized, features)


@built(
    "tf.compat.v1.parse_single_sequence_example",
    "tf.compat.v1.io.parse_single_sequence_example",
    type="ParseSingleSequenceExample/ParseSequenceExample/ParseSequenceExampleV2",
)
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: Any = None,
) -> Any:
    """Returns the tensors of a sequence of examples. `example_name` does nothing: a message has the key."""
    return _parsing.parse_single_sequence_example(serialized, context_features, sequence_features)


@built("tf.compat.v1.string_split", type="StringSplit")
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = " ",
    result_type: str = "SparseTensor",
    name: Any = None,
) -> Any:
    """Returns the parts of strings between any of the characters of `delimiter`, a row for each string.

    Empty parts are left out, unless `skip_empty` is false.
    """
    characters = delimiter if sep is None else sep
    pattern = re.compile(b"[" + re.escape(str(characters).encode()) + b"]") if characters else None
    rows = []
    for one in np.asarray(texts(source)).ravel().tolist():
        parts = pattern.split(one) if pattern else [one[at : at + 1] for at in range(len(one))]
        rows.append([part for part in parts if part or not skip_empty])
    made = ragged.constant(rows, dtype="string")
    return made if result_type == "RaggedTensor" else made.to_sparse()


string_to_number = named("tf.compat.v1.string_to_number")(strings.to_number)
substr = named("tf.compat.v1.substr")(strings.substr)
reduce_join = named("tf.compat.v1.reduce_join")(strings.reduce_join)
string_to_hash_bucket = named("tf.compat.v1.string_to_hash_bucket")(strings.to_hash_bucket)
