"""The values in the rows of a ragged tensor: a tensor, or a tensor of strings. Both are split alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.tensorflow import _arrays
from penstock.tensorflow._convert import as_array, constant, tensor_of
from penstock.tensorflow._strings import StringTensor, is_text, strings


def leaf(value: Any, dtype: Any = None) -> Any:
    """Returns values as a tensor; words as a tensor of strings."""
    if isinstance(value, StringTensor):
        return value
    if is_text(value) or (isinstance(value, np.ndarray) and value.dtype.kind in "OUS"):
        return strings(value)
    return tensor_of(value, dtype)


def gathered(values: Any, places: Any) -> Any:
    """Returns the slices of a leaf at places along its first axis; itself if these are all, in order."""
    places = np.asarray(places, np.int64)
    count = int(values.shape[0])
    if len(places) == count and np.array_equal(places, np.arange(count)):
        return values
    if isinstance(values, StringTensor):
        return StringTensor(np.asarray(values)[places])
    return _arrays.gather(values, constant(places))


def joined(values: Sequence[Any]) -> Any:
    """Returns leaves one after another along their first axis."""
    kept = [one for one in values if int(one.shape[0])] or list(values[:1])
    if len(kept) == 1:
        return kept[0]
    if any(isinstance(one, StringTensor) for one in kept):
        return StringTensor(np.concatenate([np.asarray(one) for one in kept]))
    return _arrays.concat(kept, 0)


def arranged(values: Any, lengths: Sequence[int]) -> Any:
    """Returns a leaf in another shape."""
    if isinstance(values, StringTensor):
        return StringTensor(np.asarray(values).reshape(tuple(lengths)))
    return values if tuple(values.shape) == tuple(lengths) else _arrays.reshape(values, tuple(lengths))


def cut(values: Any, start: int, stop: int) -> Any:
    """Returns the slices of a leaf from `start` up to `stop` along its first axis."""
    return values[int(start) : int(stop)]


def filling(values: Any, value: Any, lengths: Sequence[int]) -> Any:
    """Returns a leaf of a shape, full of one value in the dtype of another leaf; 0, or "", for None."""
    if isinstance(values, StringTensor):
        full = np.empty(tuple(lengths), object)
        full[...] = b"" if value is None else strings(value).numpy()
        return StringTensor(full)
    own = values.dtype.as_numpy_dtype
    if value is None:
        return constant(np.zeros(tuple(lengths), own))
    given = value if hasattr(value, "_spec") else constant(as_array(value, np.dtype(own)))
    return _arrays.broadcast_to(given, tuple(lengths))


def is_dense(value: Any) -> bool:
    """Returns whether a value is a leaf, and not cut into rows."""
    return not hasattr(value, "_partition")


__all__ = ["arranged", "cut", "filling", "gathered", "is_dense", "joined", "leaf"]
