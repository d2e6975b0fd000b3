"""Ragged and sparse tensors as elements of data sets: their rows, and batches of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._ragged.arranging import joined
from penstock.tensorflow._ragged.spec import RaggedTensorSpec
from penstock.tensorflow._ragged.tensor import RaggedTensor
from penstock.tensorflow._sparse_functions import dims, places
from penstock.tensorflow._sparse_functions import made as sparse_of
from penstock.tensorflow._specs import SparseTensorSpec
from penstock.tensorflow._tensor_shape import as_shape
from penstock.tensorflow._type_spec import TensorSpec
from penstock.tensorflow.sparse import SparseTensor


def ragged(rows: Sequence[Any], row_splits_dtype: Any) -> Any:
    """Returns elements of one part as the rows of a ragged tensor; scalars as a tensor."""
    parts = [one if isinstance(one, RaggedTensor) else leaves.leaf(one) for one in rows]
    if not tuple(parts[0].shape):
        return np.stack([np.asarray(one.numpy()) for one in parts])
    found = joined(parts, 0, True)
    return found.with_row_splits_dtype(row_splits_dtype)


def batched(rows: Sequence[Any]) -> Any:
    """Returns ragged or sparse elements as one, with an axis more in front."""
    if isinstance(rows[0], RaggedTensor):
        return joined(list(rows), 0, True)
    return _stacked(rows)


def chosen(value: Any, key: Any) -> Any:
    """Returns the row of a number, or the rows of several, of a ragged or a sparse tensor."""
    if isinstance(value, RaggedTensor):
        return value[key]  # type: ignore[index]
    if np.ndim(key):
        return _stacked([chosen(value, number) for number in key])
    where = places(value)
    kept = np.flatnonzero(where[:, 0] == key)
    values = leaves.leaf(value.values.numpy()[kept])
    return sparse_of(where[kept, 1:], values, dims(value)[1:])


def _stacked(several: Sequence[Any]) -> SparseTensor:
    numbered = [np.insert(places(one), 0, number, 1) for number, one in enumerate(several)]
    lengths = np.max([dims(one) for one in several], 0).tolist()
    values = leaves.joined([one.values for one in several])
    return sparse_of(np.concatenate(numbered), values, [len(several), *lengths])


def spec_of_rows(value: Any) -> Any:
    """Returns the specification of each row of a ragged or a sparse tensor."""
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec(tuple(value.shape)[1:], value.dtype, value.ragged_rank - 1)
    return SparseTensorSpec(tuple(value.shape)[1:], value.dtype)


def batched_spec(one: Any, first: Any) -> Any:
    """Returns the specification of a batch, given that of an element."""
    if isinstance(one, RaggedTensorSpec):
        return RaggedTensorSpec(as_shape([first]).concatenate(one.shape), one.dtype, one.ragged_rank + 1)
    if isinstance(one, SparseTensorSpec):
        return SparseTensorSpec(as_shape([first]).concatenate(one.shape), one.dtype)
    return TensorSpec(as_shape([first]).concatenate(one.shape), one.dtype)


__all__ = ["batched", "batched_spec", "chosen", "ragged", "spec_of_rows"]
