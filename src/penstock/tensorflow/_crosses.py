"""tf.sparse.cross and tf.sparse.cross_hashed: every choice of one value from each of several columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._fingerprints import crossed, fingerprint
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor_shape import brackets
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_LARGEST = (1 << 63) - 1


def choices(row: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Returns every choice of one value from each list, that of the last list changing fastest."""
    return list(itertools.product(*row))


def hashed(values: Sequence[Any], count: int, key: Any) -> int:
    """Returns the hash of several strings and whole numbers, below `count` if that is not 0."""
    numbers = [fingerprint(one) if isinstance(one, bytes) else int(one) for one in values]
    return crossed(numbers, None if key is None else int(key)) % (count or _LARGEST)


def rows_of(one: Any) -> list[list[Any]]:
    """Returns the values in each row of a sparse or dense matrix."""
    if isinstance(one, SparseTensor):
        rows: list[list[Any]] = [[] for _ in range(int(np.asarray(one.dense_shape.numpy())[0]))]
        at = np.asarray(one.indices.numpy())[:, 0].tolist()
        for row, value in zip(at, _listed(one.values), strict=True):
            rows[row].append(value)
        return rows
    return _listed(one)


def _listed(values: Any) -> list[Any]:
    array = strings(values).numpy() if is_text(values) else np.asarray(values.numpy()).astype(np.int64)
    found: list[Any] = array.tolist()
    return found


def _crossed(inputs: Any) -> list[list[tuple[Any, ...]]]:
    """Returns the choices in each row: values of sparse tensors come before those of dense ones."""
    if not isinstance(inputs, list | tuple):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(one, SparseTensor | StringTensor | Tensor) for one in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    ordered = sorted(inputs, key=lambda one: not isinstance(one, SparseTensor))
    for number, one in enumerate(one for one in ordered if not isinstance(one, SparseTensor)):
        if len(one.shape) != 2:
            raise InvalidArgumentError(
                f"Dense inputs should be a matrix but received shape {brackets(one.shape)} at position "
                f"{number}",
                site=here(),
            )
    columns = [rows_of(one) for one in ordered]
    for number, rows in enumerate(columns):
        if len(rows) != len(columns[0]):
            raise InvalidArgumentError(
                f"Expected batch size {len(columns[0])} got {len(rows)} at tensor {number}", site=here()
            )
    return [choices(row) for row in zip(*columns, strict=True)]


def _sparse(rows: Sequence[Sequence[Any]], values: Any) -> SparseTensor:
    at = [[number, place] for number, row in enumerate(rows) for place in range(len(row))]
    lengths = [len(rows), max(map(len, rows), default=0)]
    places = np.array(at, np.int64).reshape(-1, 2)
    return SparseTensor(constant(places), values, constant(np.array(lengths, np.int64)))


@named("tf.sparse.cross")
def cross(inputs: Any, name: Any = None, separator: Any = None) -> SparseTensor:
    """Returns for each row every choice of one value from each input, as words put together with "_X_".

    >>> from penstock import tensorflow as tf
    >>> tf.sparse.cross([tf.constant([["a"], ["b"]]), tf.constant([[1], [2]])], separator="-").values.numpy()
    array([b'a-1', b'b-2'], dtype=object)
    """
    between = strings("_X_" if separator is None else separator).numpy()
    rows = _crossed(inputs)
    joined = [
        between.join(one if isinstance(one, bytes) else str(one).encode() for one in values)
        for row in rows
        for values in row
    ]
    flat = np.empty(len(joined), object)
    flat[:] = joined
    return _sparse(rows, StringTensor(flat))


@named("tf.sparse.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: Any = None
) -> SparseTensor:
    """Returns for each row every choice of one value from each input, as a hash below `num_buckets`.

    >>> from penstock import tensorflow as tf
    >>> words = tf.constant([["a"], ["b"]])
    >>> tf.sparse.cross_hashed([words, words], num_buckets=100).values.dtype
    tf.int64
    """
    if num_buckets < 0:
        raise InvalidArgumentError(
            f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 0", site=here()
        )
    rows = _crossed(inputs)
    found = [hashed(values, num_buckets, hash_key) for row in rows for values in row]
    return _sparse(rows, constant(np.array(found, np.int64)))


__all__ = ["choices", "cross", "cross_hashed", "hashed", "rows_of"]
