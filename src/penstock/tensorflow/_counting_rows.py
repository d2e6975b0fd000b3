"""How often each whole number is in each row: of a tensor, a ragged tensor or a sparse one."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _scatter
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._sparse_functions import made as sparse_of
from penstock.trace.source_site import here


class _Rows:
    """Whole numbers and their weights, with the row of each."""

    def __init__(self, values: Any, weights: Any, axis: Any, binary: bool) -> None:
        if weights is not None and binary:
            raise ArgumentError(
                "Arguments `binary_output` and `weights` are mutually exclusive.",
                remedy="Leave one of them out.",
                site=here(),
            )
        if axis not in (None, 0, -1):
            raise ArgumentError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently "
                                "supported.", site=here())  # fmt: skip
        numbers, ids, count = _taken_apart(values)
        if numbers.size and numbers.min() < 0:
            raise InvalidArgumentError("Input arr must be non-negative!", site=here())
        self.single, self.dtype = axis in (None, 0), numbers.dtype
        self.numbers = numbers.astype(np.int64)
        self.ids = np.zeros_like(ids) if self.single else ids
        self.count = 1 if self.single else count
        self.weights = None if weights is None else _flat(weights)
        if self.weights is not None and int(self.weights.shape[0]) != numbers.size:
            raise InvalidArgumentError("weights must have the shape of what is counted.", site=here())

    def kept(self, bins: int) -> Any:
        """Returns which numbers are below a limit."""
        return np.flatnonzero(self.numbers < bins)


def _flat(values: Any) -> Any:
    from penstock.tensorflow import _arrays

    if hasattr(values, "flat_values"):
        return values.flat_values
    return values.values if hasattr(values, "dense_shape") else _arrays.reshape(values, [-1])


def _taken_apart(values: Any) -> tuple[Any, Any, int]:
    if hasattr(values, "_partition"):
        own = values._partition
        return np.asarray(values.flat_values.numpy()).reshape(-1), own.ids, own.count
    if hasattr(values, "dense_shape"):
        at = np.asarray(values.indices.numpy())
        numbers = np.asarray(values.values.numpy())
        rows = at[:, 0] if at.shape[1] > 1 else np.zeros(len(at), np.int64)
        return numbers, rows, int(values.dense_shape.numpy()[0]) if at.shape[1] > 1 else 1
    array = np.asarray(tensor_of(values).numpy())
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"Whole numbers are counted, not {array.dtype}.", site=here())
    rows = array.reshape(1, -1) if array.ndim < 2 else array.reshape(array.shape[0], -1)
    return rows.reshape(-1), np.repeat(np.arange(len(rows)), rows.shape[1]), len(rows)


def _bins(numbers: Any, minlength: Any, maxlength: Any) -> int:
    most = int(numbers.max()) + 1 if numbers.size else 0
    most = max(most, 0 if minlength is None else int(minlength))
    return most if maxlength is None else min(most, int(maxlength))


def bincount(
    arr: Any, weights: Any, minlength: Any, maxlength: Any, dtype: Any, axis: Any, binary_output: bool
) -> Any:
    """Returns how often each whole number is there: of all, or with axis -1 of each row."""
    rows = _Rows(arr, weights, axis, binary_output)
    bins = _bins(rows.numbers, minlength, maxlength)
    kept = rows.kept(bins)
    places = rows.ids[kept] * bins + rows.numbers[kept]
    shape = (bins,) if rows.single else (rows.count, bins)
    if rows.weights is None:
        counts = np.bincount(places, minlength=rows.count * bins)
        counts = np.minimum(counts, 1) if binary_output else counts
        return constant(counts.astype(dtype).reshape(shape))
    from penstock.tensorflow import _arrays

    held = _arrays.gather(rows.weights, constant(kept))
    return _arrays.reshape(_scatter.unsorted_segment_sum(held, constant(places), rows.count * bins), shape)


@named("tf.sparse.bincount")
def sparse_bincount(
    values: Any, weights: Any = None, axis: Any = 0, minlength: Any = None, maxlength: Any = None,
    binary_output: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns how often each whole number is there, as a sparse tensor: of all, or with axis -1 of each row.

    Counts have the dtype of `values`, and sums of weights have that of the `weights`.

    >>> from penstock import tensorflow as tf
    >>> found = tf.sparse.bincount([[10, 20, 20], [11, 11, 11]], axis=-1)
    >>> found.indices.numpy().tolist(), found.values.numpy().tolist()
    ([[0, 10], [0, 20], [1, 11]], [1, 2, 3])
    """
    rows = _Rows(values, weights, axis, binary_output)
    most = _bins(rows.numbers, minlength, maxlength)
    kept = rows.kept(most)
    pairs = np.stack([rows.ids[kept], rows.numbers[kept]], 1)
    every, ids = np.unique(pairs, axis=0, return_inverse=True)
    ids = ids.reshape(-1)
    if rows.weights is None:
        counts = np.bincount(ids, minlength=len(every)).astype(rows.dtype)
        counted: Any = constant(np.minimum(counts, 1) if binary_output else counts)
    else:
        from penstock.tensorflow import _arrays

        held = _arrays.gather(rows.weights, constant(kept))
        counted = _scatter.unsorted_segment_sum(held, constant(ids.astype(np.int64)), len(every))
    if rows.single:
        return sparse_of(every[:, 1:], counted, (most,))
    return sparse_of(every, counted, (rows.count, most))


__all__ = ["bincount", "sparse_bincount"]
