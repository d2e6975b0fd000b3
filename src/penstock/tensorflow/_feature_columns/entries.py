"""The features that columns read, and the numbers of categories that they hold, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from penstock.tensorflow import _arrays
from penstock.tensorflow._convert import constant
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._fingerprints import fingerprint
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._strings import StringTensor, is_text
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.source_site import here


class Entries(NamedTuple):
    """Categories that examples have: the row and the value of each, and how many rows there are."""

    rows: Any
    values: Any
    total: int
    weights: Any = None
    sparse: bool = True


def wrong(text: str, remedy: str = "") -> ArgumentError:
    """Returns the error for an argument of a column, or a feature that does not fit one."""
    return ArgumentError(text, remedy=remedy, site=here())


def feature(features: Mapping[str, Any], key: str) -> Any:
    """Returns a feature as a tensor with one row for each example, or as a sparse one."""
    if key not in features:
        raise wrong(f"Feature {key} is not in features dictionary.", f"Given: {', '.join(sorted(features))}.")
    value = features[key]
    if isinstance(value, SparseTensor | SymbolicTensor):
        return value
    tensor = value if isinstance(value, StringTensor) else constant(value)
    if len(tensor.shape) == 0:
        raise wrong(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
    if len(tensor.shape) > 1:
        return tensor
    if isinstance(tensor, StringTensor):
        return StringTensor(np.asarray(tensor).reshape(-1, 1))
    return _arrays.expand_dims(tensor, -1)


def entries(features: Mapping[str, Any], key: str, keep: bool = False) -> Entries:
    """Returns the values of a feature, without those that stand for none unless all are to be kept.

    An empty word, and the number -1, stand for none in a dense tensor.
    """
    value = feature(features, key)
    if isinstance(value, SymbolicTensor):
        raise wrong(
            f"Feature {key!r} is {value}, whose values a column of categories cannot look at.",
            "Give the values, or call the layer outside of a graph.",
        )
    if isinstance(value, SparseTensor):
        rows = np.asarray(value.indices)[:, 0]
        return Entries(rows, np.asarray(value.values), int(np.asarray(value.dense_shape)[0]))
    array = np.asarray(value)
    array = array.reshape(len(array), -1)
    missing: Any = b"" if is_text(value) else -1 if array.dtype.kind in "iu" else 0
    there = np.ones(array.shape, bool) if keep else array != missing
    return Entries(np.nonzero(there)[0], array[there], len(array), sparse=False)


def dtype_of(found: Entries) -> Any:
    """Returns the dtype of values, as TensorFlow shows it."""
    array = np.asarray(found.values)
    return as_dtype("string" if array.dtype.kind in "OSU" else array.dtype)


def weighted(features: Mapping[str, Any], key: str) -> Any:
    """Returns the weights of a feature's values, in order; in a dense tensor, 0 stands for none."""
    value = feature(features, key)
    if isinstance(value, SparseTensor):
        return np.asarray(value.values)
    array = np.asarray(value)
    return array[array != 0]


def words(values: Any) -> list[bytes]:
    """Returns values as words: numbers as they are written."""
    return [one if isinstance(one, bytes) else str(one).encode() for one in np.asarray(values).tolist()]


def buckets(values: Any, count: int) -> Any:
    """Returns numbers below `count`, as TensorFlow's hash of words puts them."""
    return np.asarray([fingerprint(one) % count for one in words(values)], np.int64)


_FACTOR = 0xC6A4A7935BD1E995
_MASK = (1 << 64) - 1
_FIRST_KEY = 0xDECAFCAFFE
"""What TensorFlow begins a hash with where no key is given."""


def _joined(first: int, second: int) -> int:
    """Returns the hash of two hashes, as TensorFlow joins them."""

    def mixed(value: int) -> int:
        return value ^ (value >> 47)

    found = first ^ _FACTOR
    found ^= (mixed((second * _FACTOR) & _MASK) * _FACTOR) & _MASK
    found = (found * _FACTOR) & _MASK
    return mixed((mixed(found) * _FACTOR) & _MASK)


def crossed(parts: list[Entries], count: int, key: int | None) -> Entries:
    """Returns every combination of the values that an example has, as numbers below `count`."""
    parts = sorted(parts, key=lambda one: not one.sparse)
    rows, numbers = [], []
    for row in range(parts[0].total):
        hashes = [_FIRST_KEY if key is None else int(key)]
        for one in parts:
            own = [
                fingerprint(value) if isinstance(value, bytes) else int(value) & _MASK
                for value in np.asarray(one.values)[one.rows == row].tolist()
            ]
            hashes = [_joined(before, each) for before in hashes for each in own]
        numbers += [one % count for one in hashes]
        rows += [row] * len(hashes)
    return Entries(np.asarray(rows, np.int64), np.asarray(numbers, np.int64), parts[0].total)
