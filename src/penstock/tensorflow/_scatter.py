"""Scatter functions, segments, and partition and stitch, under TensorFlow's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named, own_name, row
from penstock.functions import array as native
from penstock.functions import segments
from penstock.functions.composite import composite
from penstock.tensorflow._convert import integers, lengths_of, operand, same_dtype, tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import brackets
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_WAYS: dict[str, Any] = {
    "add": segments.scatter_add,
    "update": segments.scatter_update,
    "max": segments.scatter_max,
    "min": segments.scatter_min,
}


@composite(3, "tensor_scatter_nd")
def _scattered(x: Any, indices: Any, updates: Any, way: str) -> Tensor:
    depth = indices.shape[-1]
    outer, inner = x.shape[:depth], x.shape[depth:]
    strides = np.asarray([math.prod(outer[i + 1 :]) for i in range(depth)], np.int64)
    places = native.sum(indices.astype("int64") * native.asarray(strides), axis=-1)
    flat = native.reshape(x, (math.prod(outer), *inner))
    rows = native.reshape(updates, (-1, *inner))
    made = _WAYS[way](flat, native.reshape(places, (-1,)), rows)
    return native.reshape(made, x.shape)


def _checked(tensor: Any, indices: Any, updates: Any, way: str) -> EagerTensor:
    places = integers(indices, "Tindices", "int16, int32, int64")
    x, rows = same_dtype((tensor, updates), "TensorScatterUpdate")
    own, at, given = (tuple(one._spec.shape) for one in (x, places, rows))
    if not at or at[-1] > len(own):
        raise InvalidArgumentError(
            f"The last axis of indices, shape {brackets(at)}, must be an index into {brackets(own)}.",
            why="Its length is the number of axes indexed: at least one, and no more than the tensor has.",
            site=here(),
        )
    wanted = (*at[:-1], *own[at[-1] :])
    if given != wanted:
        fact = "Inner dimensions of output shape must match inner dimensions of updates shape. "
        fact += f"Output: {brackets(own)}"
        raise InvalidArgumentError(
            f"{fact} updates: {brackets(given)}",
            remedy=f"Give updates of shape {brackets(wanted)}.",
            site=here(),
        )
    return _scattered(x, places, rows, way)  # type: ignore[return-value]


@named("tf.tensor_scatter_nd_update", "tf.compat.v1.tensor_scatter_update")
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with other values at `indices`, whose last axis names a place in its first axes.

    >>> from penstock import tensorflow as tf
    >>> print(tf.tensor_scatter_nd_update([1.0, 2.0, 3.0], [[0], [2]], [10.0, 30.0]).numpy())
    [10.  2. 30.]
    """
    return _checked(tensor, indices, updates, "update")


@named("tf.tensor_scatter_nd_add", "tf.compat.v1.tensor_scatter_add")
def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with values added at `indices`; those of one place add up."""
    return _checked(tensor, indices, updates, "add")


@named("tf.tensor_scatter_nd_sub", "tf.compat.v1.tensor_scatter_sub")
def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with values subtracted at `indices`; those of one place add up."""
    x, rows = same_dtype((tensor, updates), "TensorScatterSub")
    return _checked(x, indices, native.negative(rows), "add")


@named("tf.tensor_scatter_nd_max")
def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with the larger of its value and the update at `indices`."""
    return _checked(tensor, indices, updates, "max")


@named("tf.tensor_scatter_nd_min")
def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with the smaller of its value and the update at `indices`."""
    return _checked(tensor, indices, updates, "min")


@named("tf.scatter_nd")
def scatter_nd(indices: Any, updates: Any, shape: Any, name: Any = None) -> EagerTensor:
    """Returns zeros of a shape with values added at `indices`; those of one place add up."""
    rows = tensor_of(updates)
    zeros = tensor_of(np.zeros(lengths_of(shape), rows._spec.dtype))
    return _checked(zeros, indices, rows, "add")


# -- segments -------------------------------------------------------------------------------------------

_SEGMENTS: dict[str, Any] = {
    "sum": segments.segment_sum,
    "mean": segments.segment_mean,
    "max": segments.segment_max,
    "min": segments.segment_min,
    "prod": segments.segment_prod,
}


@composite(2, "segment")
def _segment(data: Any, ids: Any, way: str, count: int, empty: Any) -> Tensor:
    # Ids below 0 are left out: they go to a separate segment, which is dropped.
    kept = native.where(ids < 0, count, ids)
    if len(ids.shape) > 1:
        data = native.reshape(data, (-1, *data.shape[len(ids.shape) :]))
        kept = native.reshape(kept, (-1,))
    made = _SEGMENTS[way](data, kept, count + 1)
    counts = segments.segment_sum(native.ones_like(kept), kept, count + 1)
    there = native.reshape(counts > 0, (count + 1, *[1] * (len(made.shape) - 1)))
    made = native.where(there, made, native.full_like(made, empty)) if empty is not None else made
    return native.take(made, native.arange(count), axis=0)


def _unsorted(names: str, purpose: str, empty: Any) -> Any:
    way = own_name(names).rpartition("_")[2]

    def function(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> EagerTensor:
        x, ids = operand(data), integers(segment_ids, "Tindices", "int32, int64")
        filling = empty
        if empty in ("lowest", "highest"):
            own = x._spec.dtype
            limits: Any = np.iinfo(own) if own.kind in "iu" else np.finfo(own)
            filling = limits.min if empty == "lowest" else limits.max
            filling = int(filling) if own.kind in "iu" else float(filling)
        return _segment(x, ids, way, int(num_segments), filling)  # type: ignore[return-value]

    return row(
        function, names, f"Returns {purpose} of the rows that have the same id; ids below 0 are left out."
    )


def _sorted(names: str, purpose: str, empty: Any) -> Any:
    way = own_name(names).rpartition("_")[2]

    def function(data: Any, segment_ids: Any, name: Any = None) -> EagerTensor:
        x, ids = operand(data), integers(segment_ids, "Tindices", "int32, int64")
        known = np.asarray(tensor_of(ids).numpy())
        if known.size and (np.diff(known) < 0).any():
            raise InvalidArgumentError("segment ids are not increasing", site=here())
        count = int(known[-1]) + 1 if known.size else 0
        return _segment(x, ids, way, count, empty)  # type: ignore[return-value]

    return row(
        function,
        names,
        f"Returns {purpose} of the rows that have the same id; ids are looked at, and in order.",
    )


unsorted_segment_sum = _unsorted(
    "tf.math.unsorted_segment_sum tf.compat.v1.unsorted_segment_sum", "the sum", None
)
unsorted_segment_mean = _unsorted(
    "tf.math.unsorted_segment_mean tf.compat.v1.unsorted_segment_mean", "the mean", 0
)
unsorted_segment_prod = _unsorted(
    "tf.math.unsorted_segment_prod tf.compat.v1.unsorted_segment_prod", "the product", None
)
unsorted_segment_max = _unsorted(
    "tf.math.unsorted_segment_max tf.compat.v1.unsorted_segment_max", "the largest element", "lowest"
)
unsorted_segment_min = _unsorted(
    "tf.math.unsorted_segment_min tf.compat.v1.unsorted_segment_min", "the smallest element", "highest"
)


@named("tf.math.unsorted_segment_sqrt_n", "tf.compat.v1.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> EagerTensor:
    """Returns the sum of the rows that have the same id, divided by the root of their number."""
    x, ids = operand(data), integers(segment_ids, "Tindices", "int32, int64")
    return _per_root(x, ids, int(num_segments))  # type: ignore[return-value]


@composite(2, "unsorted_segment_sqrt_n")
def _per_root(data: Any, ids: Any, count: int) -> Tensor:
    total = _segment(data, ids, "sum", count, None)
    counts = _segment(native.ones_like(ids), ids, "sum", count, None)
    sizes = native.sqrt(native.maximum(counts, 1).astype(data.dtype))
    return total / native.reshape(sizes, (count, *[1] * (len(total.shape) - 1)))


segment_sum = _sorted("tf.math.segment_sum tf.compat.v1.segment_sum", "the sum", None)
segment_mean = _sorted("tf.math.segment_mean tf.compat.v1.segment_mean", "the mean", 0)
segment_prod = _sorted("tf.math.segment_prod tf.compat.v1.segment_prod", "the product", None)
segment_max = _sorted("tf.math.segment_max tf.compat.v1.segment_max", "the largest element", 0)
segment_min = _sorted("tf.math.segment_min tf.compat.v1.segment_min", "the smallest element", 0)


# -- parting and stitching ------------------------------------------------------------------------------


@named("tf.dynamic_partition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: Any = None) -> list[EagerTensor]:
    """Returns the rows of data in lists by their number, which is looked at.

    >>> from penstock import tensorflow as tf
    >>> print([one.numpy().tolist() for one in tf.dynamic_partition([1.0, 2.0, 3.0], [0, 1, 0], 2)])
    [[1.0, 3.0], [2.0]]
    """
    x = operand(data)
    ids = np.asarray(tensor_of(partitions).numpy())
    if tuple(x._spec.shape[: ids.ndim]) != ids.shape:
        raise InvalidArgumentError(
            f"data.shape must start with partitions.shape, got data.shape = {brackets(x._spec.shape)}, "
            f"partitions.shape = {brackets(ids.shape)}",
            site=here(),
        )
    if ids.size and not 0 <= ids.min() <= ids.max() < num_partitions:
        place = tuple(int(i) for i in np.argwhere((ids < 0) | (ids >= num_partitions))[0])
        where = brackets(place) if place else ""
        raise InvalidArgumentError(
            f"partitions{where} = {ids[place]} is not in [0, {num_partitions})", site=here()
        )
    flat = native.reshape(x, (-1, *x._spec.shape[ids.ndim :]))
    places = [np.flatnonzero(ids.reshape(-1) == number) for number in range(num_partitions)]
    return [native.take(flat, tensor_of(one), axis=0) for one in places]  # type: ignore[misc]


@named("tf.dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: Any = None) -> EagerTensor:
    """Returns rows put to places, which are read; of several for one place the last is taken."""
    places = [np.asarray(tensor_of(one).numpy()) for one in indices]
    rows = same_dtype(data, "DynamicStitch")
    if len(places) != len(rows):
        raise ArgumentError("dynamic_stitch: needs as many lists of indices as lists of data.", site=here())
    inner = rows[0]._spec.shape[places[0].ndim :]
    flat = native.concat([native.reshape(one, (-1, *inner)) for one in rows], axis=0)
    order = np.concatenate([one.reshape(-1) for one in places])
    length = int(order.max()) + 1 if order.size else 0
    last = np.zeros(length, np.int64)
    last[order] = np.arange(order.size)
    return native.take(flat, tensor_of(last), axis=0)  # type: ignore[return-value]
