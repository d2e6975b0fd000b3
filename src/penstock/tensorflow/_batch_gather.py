"""Slices of a tensor at separate indices for each row of the first axes."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.ops import index
from penstock.tensorflow._convert import integers, record, tensor_of
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.lengths import is_symbolic
from penstock.trace.source_site import here


def batch_gather(params: Any, indices: Any, axis: Any, batch_dims: int) -> EagerTensor:
    """Returns for each row of the first `batch_dims` axes its slices at its own indices.

    Raises ArgumentError for a number of axes that the two do not share, and for an axis among them.
    """
    x: Any = tensor_of(params)
    places: Any = tensor_of(integers(indices, "Tindices", "int16, int32, int64"))
    shape, own = x._spec.shape, places._spec.shape
    shared = batch_dims + len(own) if batch_dims < 0 else batch_dims
    along = (batch_dims if axis is None else axis) % max(len(shape), 1)
    if not shared <= min(len(own), len(shape)) or along < shared or shape[:shared] != own[:shared]:
        raise ArgumentError(
            f"tf.gather with batch_dims={batch_dims} and axis={axis} was given params of shape {list(shape)} "
            f"and indices of shape {list(own)}.",
            why="Their first axes must be equal, and the axis comes after them.",
            site=here(),
        )
    rows, length = math.prod(shape[:shared]), shape[along]
    before, after = shape[shared:along], shape[along + 1 :]
    order = (*range(shared), along, *range(shared, along), *range(along + 1, len(shape)))
    table = native.reshape(native.permute_dims(x, order), (rows * length, *before, *after))
    firsts: Any
    if is_symbolic(rows) and not is_symbolic(length):
        firsts = native.reshape(native.arange(rows, dtype=places._spec.dtype), (-1, 1)) * length
    else:
        firsts = native.asarray(np.arange(rows, dtype=places._spec.dtype)[:, None] * length)
    flat = native.reshape(places, (rows, -1)) + firsts
    # An index that is out of range for its row would be in range for the next one.
    inside = (flat >= firsts) & (flat < firsts + length)
    flat = native.where(inside, flat, native.asarray(np.array(-1, places._spec.dtype)))
    numbers = spoken(native.reshape(flat, (-1,)))
    found: Any = record(index.take, (spoken(table), numbers), {"axis": 0}, sys._getframe(1))
    found = native.reshape(found, (*shape[:shared], *own[shared:], *before, *after))
    count = len(own) - shared
    back = (
        *range(shared), *range(shared + count, shared + count + len(before)), *range(shared, shared + count),
        *range(shared + count + len(before), len(shape) + count - 1),
    )  # fmt: skip
    return spoken(native.permute_dims(found, back))


def batch_gather_nd(params: Any, indices: Any, batch_dims: int) -> EagerTensor:
    """Returns for each row of the first `batch_dims` axes its slices at the places that its indices name.

    Raises ArgumentError for a number of axes that the two do not share, or that leaves none to choose from.
    """
    x: Any = tensor_of(params)
    places: Any = tensor_of(integers(indices, "Tindices", "int16, int32, int64"))
    shape, own = x._spec.shape, places._spec.shape
    shared = batch_dims + len(own) if batch_dims < 0 else batch_dims
    depth = own[-1] if own else 0
    if (
        not shared < min(len(own), len(shape))
        or shape[:shared] != own[:shared]
        or shared + depth > len(shape)
    ):
        raise ArgumentError(
            f"tf.gather_nd with batch_dims={batch_dims} was given params of shape {list(shape)} and indices "
            f"of shape {list(own)}.",
            why="Their first axes must be equal, and the last axis of the indices counts axes after them.",
            site=here(),
        )
    chosen, inner = shape[shared : shared + depth], shape[shared + depth :]
    lengths = np.asarray(chosen, own_dtype := places._spec.dtype)
    steps = np.asarray([math.prod(chosen[i + 1 :]) for i in range(depth)], own_dtype)
    inside = native.all((places >= 0) & (places < native.asarray(lengths)), axis=-1)
    flat = native.sum(places * native.asarray(steps), axis=-1, dtype=places.dtype)
    flat = native.where(inside, flat, native.asarray(np.array(-1, own_dtype)))
    table = spoken(native.reshape(x, (*shape[:shared], math.prod(chosen), *inner)))
    return batch_gather(table, spoken(flat), shared, shared)


__all__ = ["batch_gather", "batch_gather_nd"]
