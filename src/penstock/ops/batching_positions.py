"""Batching rules of primitives that read or write by position: each example has its own rows and indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops import gather, index, segments, sort, sparse_rows
from penstock.ops import shape as shapes
from penstock.ops.batch_rules import Flags, Operands, Rule, all_batched, batching, moved, rules, spread
from penstock.ops.shape import broadcast_to, reshape, transpose
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor


def _checked(indices: Tensor, length: int) -> Tensor:
    """Returns indices unchanged, behind a guard: after a shift, an index too large would hit another row."""
    places = index.arange(start=0, step=1, length=length, dtype=indices.dtype)
    return index.take(places, indices, axis=0)


def _shifted(size: int, indices: Tensor, length: int) -> Tensor:
    """Returns each example's indices as indices into the stacked rows of all examples."""
    if np.iinfo(indices.dtype).max < size * length:
        indices = cast(indices, dtype=np.dtype(np.int64))
    rows = index.arange(start=0, step=length, length=size, dtype=indices.dtype)
    indices = _checked(indices, length)
    return indices + reshape(rows, shape=(size, *(1,) * (len(indices.shape) - 1)))


@batching(index.take)
def _take(size: int, operands: Operands, batched: Flags, axis: int) -> Tensor:
    x, indices = operands
    if not batched[1]:
        return index.take(x, indices, axis=axis + 1)
    if not batched[0]:
        return moved(index.take(x, indices, axis=axis), axis, 0)
    length = x.shape[axis + 1]
    rows = moved(x, axis + 1, 1)
    flat = reshape(rows, shape=(size * length, *rows.shape[2:]))
    found = index.take(flat, _shifted(size, indices, length), axis=0)
    # Axes now: batch, those of the indices, those before the axis, those after it.
    count = len(indices.shape) - 1
    order = (0, *range(1 + count, 1 + count + axis), *range(1, 1 + count),
             *range(1 + count + axis, len(found.shape)))  # fmt: skip
    return found if order == tuple(range(len(order))) else transpose(found, axes=order)


@batching(index.take_transpose)
def _take_transpose(size: int, operands: Operands, batched: Flags, shape: Shape, axis: int) -> Tensor:
    values, indices = operands
    if not batched[1]:
        return index.take_transpose(values, indices, shape=(size, *shape), axis=axis + 1)
    if not batched[0]:
        values = spread(size, values)
    count = len(indices.shape) - 1
    rest = (*shape[:axis], *shape[axis + 1 :])
    order = (0, *range(1 + axis, 1 + axis + count), *range(1, 1 + axis),
             *range(1 + axis + count, len(values.shape)))  # fmt: skip
    if order != tuple(range(len(order))):
        values = transpose(values, axes=order)
    length = shape[axis]
    flat = index.take_transpose(values, _shifted(size, indices, length), shape=(size * length, *rest), axis=0)
    return moved(reshape(flat, shape=(size, length, *rest)), 1, 1 + axis)


def _rows(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags) -> Tensor:
        x, indices, rows = operands
        if not batched[1]:
            # All examples index the same rows: the batch is a part of each row.
            x = moved(x, 0, 1) if batched[0] else _repeated(x, 1, size)
            count = len(indices.shape)
            rows = moved(rows, 0, count) if batched[2] else _repeated(rows, count, size)
            return moved(primitive(x, indices, rows), 1, 0)
        x, rows = (one if has else spread(size, one) for one, has in ((x, batched[0]), (rows, batched[2])))
        length, count = x.shape[1], len(indices.shape)
        flat = reshape(x, shape=(size * length, *x.shape[2:]))
        places = _shifted(size, indices, length)
        below = reshape(rows, shape=(places._spec.size, *rows.shape[count:]))
        return reshape(primitive(flat, reshape(places, shape=below.shape[:1]), below), shape=x.shape)

    return rule


def _repeated(x: Tensor, axis: int, size: int) -> Tensor:
    """Returns x with a new axis along which it is repeated."""
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    return broadcast_to(reshape(x, shape=shape), shape=(*x.shape[:axis], size, *x.shape[axis:]))


for _primitive in (index.add_rows, index.set_rows, segments.scatter_max, segments.scatter_min,
                   segments.scatter_multiply):  # fmt: skip
    rules[_primitive] = _rows(_primitive)


def _equal_rows(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags) -> Tensor:
        values, indices = operands
        if not batched[1]:
            return moved(primitive(moved(values, 0, 1), indices), 1, 0)
        if not batched[0]:
            values = spread(size, values)
        # Equal indices of different examples become different numbers: index * size + example.
        indices = cast(indices, dtype=np.dtype(np.int64)) * size
        examples = index.arange(start=0, step=1, length=size, dtype=indices.dtype)
        apart = reshape(indices + reshape(examples, shape=(size, 1)), shape=(indices._spec.size,))
        flat = reshape(values, shape=(*apart.shape, *values.shape[2:]))
        return reshape(primitive(flat, apart), shape=values.shape)

    return rule


rules[sparse_rows.sum_equal] = _equal_rows(sparse_rows.sum_equal)
rules[sparse_rows.keep_first] = _equal_rows(sparse_rows.keep_first)

# -- along an axis ----------------------------------------------------------------------------------------


def _along_axis(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, axis: int, **params: Any) -> Tensor:
        return primitive(*all_batched(size, operands, batched), axis=axis + 1, **params)

    return rule


rules[gather.take_along_axis] = _along_axis(gather.take_along_axis)
rules[gather.put_along_axis] = _along_axis(gather.put_along_axis)


@batching(sort.searchsorted)
def _searchsorted(size: int, operands: Operands, batched: Flags, side: str) -> Tensor:
    # Batch axes of the vectors go with the first axes of the values: a batch of values alone would count as
    # one.
    if not batched[0] and len(operands[0].shape) == 1:
        return sort.searchsorted(*operands, side=side)
    return sort.searchsorted(*all_batched(size, operands, batched), side=side)


# -- windows with operands as starts --------------------------------------------------------------------


def _starts(operands: Operands, batched: Flags, axes: tuple[int, ...], lengths: Shape) -> list[Tensor]:
    """Returns, for each example, the positions along each axis that a window covers: [size, length]."""
    found = []
    for start, has, length in zip(operands[1:], batched[1:], lengths, strict=True):
        offsets = index.arange(start=0, step=1, length=length, dtype=start.dtype)
        first = reshape(start, shape=(start.shape[0], 1)) if has else reshape(start, shape=(1, 1))
        found.append(first + reshape(offsets, shape=(1, length)))
    return found


@batching(shapes.window)
def _window(size: int, operands: Operands, batched: Flags, lengths: Shape, axes: tuple[int, ...]) -> Tensor:
    if not any(batched[1:]):
        return shapes.window(*operands, lengths=lengths, axes=tuple(axis + 1 for axis in axes))
    # Each example has its own window: it is gathered axis by axis.
    x = operands[0] if batched[0] else spread(size, operands[0])
    for axis, positions in zip(axes, _starts(operands, batched, axes, lengths), strict=True):
        positions = broadcast_to(positions, shape=(size, positions.shape[1]))
        x = _take(size, (x, positions), (True, True), axis=axis)
    return x


@batching(shapes.unwindow)
def _unwindow(size: int, operands: Operands, batched: Flags, shape: Shape, axes: tuple[int, ...]) -> Tensor:
    x = operands[0] if batched[0] else spread(size, operands[0])
    if not any(batched[1:]):
        return shapes.unwindow(x, *operands[1:], shape=(size, *shape), axes=tuple(axis + 1 for axis in axes))
    lengths = tuple(x.shape[axis + 1] for axis in axes)
    for axis, positions in zip(axes, _starts(operands, batched, axes, lengths), strict=True):
        full = (*x.shape[1 : axis + 1], shape[axis], *x.shape[axis + 2 :])
        positions = broadcast_to(positions, shape=(size, positions.shape[1]))
        x = _take_transpose(size, (x, positions), (True, True), shape=full, axis=axis)
    return x
