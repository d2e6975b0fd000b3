"""Whole numbers as rows: a one at each number, or how often it is there."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._functional import KerasTensor
from penstock.tensorflow.sparse import from_dense
from penstock.trace.source_site import here

MODES = ("int", "one_hot", "multi_hot", "count")


def mode_of(layer: Any, mode: str, sparse: bool, modes: tuple[str, ...] = MODES) -> str:
    """Returns a mode under its newer name; raises ArgumentError for one that the layer does not have."""
    mode = {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(mode, mode)
    if mode not in modes:
        raise ArgumentError(
            f"{type(layer).__name__}: output_mode={mode!r} is none of {', '.join(map(repr, modes))}.",
            site=here(),
        )
    if sparse and mode == "int":
        raise ArgumentError(
            f"`sparse` may only be true if `output_mode` is {', '.join(map(repr, modes[1:]))}. Received: "
            f"sparse={sparse} and output_mode={mode}",
            site=here(),
        )
    return mode


def encoded_shape(shape: Any, count: Any, mode: str) -> tuple[Any, ...]:
    """Returns the shape of what `encoded` gives for numbers of a shape."""
    own = tuple(shape)
    if mode == "int":
        return own
    whole = mode == "one_hot" and not (len(own) > 1 and own[-1] == 1)
    return (*(own if whole else own[:-1]), count)


def encoded_tensor(shape: Any, count: Any, mode: str, dtype: Any) -> KerasTensor:
    """Returns what `encoded` gives, for numbers of which only the shape is known."""
    return KerasTensor(encoded_shape(shape, count, mode), "int64" if mode == "int" else dtype)


def encoded(
    numbers: Any, count: int, mode: str, dtype: Any, weights: Any = None, sparse: bool = False
) -> Any:
    """Returns whole numbers as rows of length `count`; a number outside counts for nothing.

    One axis of numbers is one sample, except for "one_hot". The numbers may be a sparse or a ragged tensor,
    of which only the elements that are there count. `weights` are those of the numbers, for "count".
    """
    if hasattr(numbers, "_is_sparse") or hasattr(numbers, "nested_row_splits"):
        made = _of_parts(numbers, count, mode, dtype, weights)
    else:
        made = _of_dense(numbers, count, mode, dtype, weights)
    return from_dense(made) if sparse else made


def _of_dense(numbers: Any, count: int, mode: str, dtype: Any, weights: Any) -> Any:
    shape = numbers._spec.shape
    if mode == "one_hot" and len(shape) > 1 and shape[-1] == 1:
        numbers = numbers[..., 0]
    if not shape:
        numbers = _arrays.reshape(numbers, (1,))
    rows = _arrays.one_hot(_elementwise.cast(numbers, "int32"), count, dtype=dtype)
    if mode == "one_hot":
        return rows
    if weights is not None:
        rows = rows * _elementwise.cast(operand(weights), dtype)[..., None]
    # As in Keras, an axis of numbers after the second is not summed over.
    axis = 1 if len(shape) > 1 else 0
    made = ps.sum(rows, axis=axis) if mode == "count" else ps.max(rows, axis=axis)
    return _elementwise.cast(made, dtype)


def _of_parts(numbers: Any, count: int, mode: str, dtype: Any, weights: Any) -> Any:
    if mode == "one_hot" or weights is not None:
        raise ArgumentError(
            f"A sparse or ragged tensor of numbers is not encoded with output_mode={mode!r}"
            f"{' and weights' if weights is not None else ''}.",
            remedy='Use "multi_hot" or "count", or make the tensor dense first.',
            site=here(),
        )
    if hasattr(numbers, "_is_sparse"):
        rows, found, height = numbers.indices.numpy()[:, 0], numbers.values, int(numbers.shape[0])
    else:
        rows, found, height = numbers.value_rowids().numpy(), numbers.flat_values, int(numbers.nrows())
    made = np.zeros((height, count), np.dtype(dtype))
    found = np.asarray(found.numpy())
    kept = (found >= 0) & (found < count)
    np.add.at(made, (np.asarray(rows)[kept], found[kept]), 1)
    return constant(np.minimum(made, 1).astype(made.dtype) if mode == "multi_hot" else made)


__all__ = ["MODES", "encoded", "encoded_shape", "encoded_tensor", "mode_of"]
