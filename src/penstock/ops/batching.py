"""Batching rules: a primitive over operands that have one more axis in front, for the whole batch at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.ops import (
    bits,
    distributions,
    elementary,
    incomplete,
    index,
    linear,
    parts,
    pointwise,
    random,
    reduce,
    scan,
    sort,
    special,
    window,
    window_pool,
)
from penstock.ops import shape as shapes
from penstock.ops.shape import broadcast_to, reshape, transpose
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor

Operands = Sequence[Tensor]
Flags = Sequence[bool]
Rule = Callable[..., Tensor]
rules: dict[Primitive, Rule] = {}
"""By primitive: a function (size, operands, batched, **params) that returns the results, batch axis first.

`batched[i]` says whether operand i has the batch axis; at least one has. A primitive without a rule is
applied to one example after the other, in a loop that is part of the program.
"""


def batching(*primitives: Primitive) -> Callable[[Rule], Rule]:
    """Declares the batching rule of primitives."""

    def declare(rule: Rule) -> Rule:
        for one in primitives:
            rules[one] = rule
        return rule

    return declare


def spread(size: int, x: Tensor) -> Tensor:
    """Returns an operand without the batch axis as one that has it, the same for each example."""
    return broadcast_to(x, shape=(size, *x.shape))


def all_batched(size: int, operands: Operands, batched: Flags) -> list[Tensor]:
    """Returns every operand with the batch axis."""
    return [one if has else spread(size, one) for one, has in zip(operands, batched, strict=True)]


def padded(x: Tensor, rank: int) -> Tensor:
    """Gives a batched operand axes of length 1 behind the batch axis, up to `rank` axes without it."""
    missing = rank - (len(x.shape) - 1)
    if missing <= 0:
        return x
    return reshape(x, shape=(x.shape[0], *(1,) * missing, *x.shape[1:]))


def own_shape(x: Tensor, has: bool) -> Shape:
    """Returns the shape of one example."""
    return x.shape[1:] if has else x.shape


def moved(x: Tensor, source: int, target: int) -> Tensor:
    """Moves one axis."""
    axes = [axis for axis in range(len(x.shape)) if axis != source]
    axes.insert(target, source)
    return x if axes == sorted(axes) else transpose(x, axes=tuple(axes))


def elementwise(primitive: Primitive) -> Rule:
    """Returns the rule of a primitive whose operands broadcast together."""

    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        rank = max(len(own_shape(x, has)) for x, has in zip(operands, batched, strict=True))
        lined_up = [padded(x, rank) if has else x for x, has in zip(operands, batched, strict=True)]
        return primitive(*lined_up, **params)

    return rule


for _module in (pointwise, elementary, bits, parts, special, incomplete):
    rules |= {one: elementwise(one) for one in vars(_module).values() if isinstance(one, Primitive)}
rules[cast] = elementwise(cast)


# -- reductions -----------------------------------------------------------------------------------------


def _reduction(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        return primitive(operands[0], axes=tuple(axis + 1 for axis in axes), keepdims=keepdims)

    return rule


for _primitive in (reduce.sum, reduce.mean, reduce.max, reduce.min, reduce.prod, reduce.all, reduce.any):
    rules[_primitive] = _reduction(_primitive)


def _position(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, axis: int, dtype: Any) -> Tensor:
        return primitive(operands[0], axis=axis + 1, dtype=dtype)

    return rule


rules[reduce.argmax] = _position(reduce.argmax)
rules[reduce.argmin] = _position(reduce.argmin)


def _along(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, axis: int, **params: Any) -> Tensor:
        return primitive(operands[0], axis=axis + 1, **params)

    return rule


for _primitive in (scan.cumulative_sum, scan.cumulative_prod, sort.sort, sort.argsort):
    rules[_primitive] = _along(_primitive)

# -- rearranging ----------------------------------------------------------------------------------------


@batching(shapes.reshape)
def _reshape(size: int, operands: Operands, batched: Flags, shape: Shape) -> Tensor:
    return reshape(operands[0], shape=(size, *shape))


@batching(shapes.transpose)
def _transpose(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...]) -> Tensor:
    return transpose(operands[0], axes=(0, *(axis + 1 for axis in axes)))


@batching(shapes.broadcast_to)
def _broadcast_to(size: int, operands: Operands, batched: Flags, shape: Shape) -> Tensor:
    return broadcast_to(padded(operands[0], len(shape)), shape=(size, *shape))


@batching(shapes.concat)
def _concat(size: int, operands: Operands, batched: Flags, axis: int) -> Tensor:
    return shapes.concat(*all_batched(size, operands, batched), axis=axis + 1)


@batching(shapes.slice_)
def _slice(size: int, operands: Operands, batched: Flags, window: shapes.Window) -> Tensor:
    return shapes.slice_(operands[0], window=((0, size, 1), *window))


@batching(shapes.unslice)
def _unslice(size: int, operands: Operands, batched: Flags, shape: Shape, window: shapes.Window) -> Tensor:
    return shapes.unslice(operands[0], shape=(size, *shape), window=((0, size, 1), *window))


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
    # Each example has a window of its own: one axis after the other is gathered.
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


@batching(shapes.flip)
def _flip(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...]) -> Tensor:
    return shapes.flip(operands[0], axes=tuple(axis + 1 for axis in axes))


# -- products -------------------------------------------------------------------------------------------


@batching(linear.matmul)
def _matmul(size: int, operands: Operands, batched: Flags) -> Tensor:
    a, b = operands
    if batched[0] and not batched[1] and len(a.shape) == 3 and len(b.shape) == 2:
        # One tall matrix: what libraries are fast at.
        flat = reshape(a, shape=(size * a.shape[1], a.shape[2]))
        return reshape(linear.matmul(flat, b), shape=(size, a.shape[1], b.shape[1]))
    rank = max(len(own_shape(x, has)) for x, has in zip(operands, batched, strict=True))
    return linear.matmul(*(padded(x, rank) if has else x for x, has in zip(operands, batched, strict=True)))


# -- windows --------------------------------------------------------------------------------------------


def _merged(x: Tensor) -> Tensor:
    """Makes the batch axis, and the operand's own batch behind it, one."""
    return reshape(x, shape=(x.shape[0] * x.shape[1], *x.shape[2:]))


def _apart(size: int, y: Tensor, axis: int) -> Tensor:
    """Takes the examples out of an axis that holds them one after the other, and puts them in front."""
    length = y.shape[axis] // size
    split = reshape(y, shape=(*y.shape[:axis], size, length, *y.shape[axis + 1 :]))
    return moved(split, axis, 0)


@batching(window.convolution)
def _convolution(size: int, operands: Operands, batched: Flags, **geometry: Any) -> Tensor:
    x, kernel = operands
    if not batched[1]:
        return _apart(size, window.convolution(_merged(x), kernel, **geometry), 0)
    rank = len(geometry["strides"])
    if not batched[0]:
        # The kernels of all examples side by side: so many more filters.
        beside = moved(kernel, 0, rank + 2)
        filters = size * kernel.shape[-1]
        beside = reshape(beside, shape=(*beside.shape[: rank + 2], filters))
        return _apart(size, window.convolution(x, beside, **geometry), rank + 2)
    # Each example is a group of its own.
    groups = size * x.shape[-2]
    x, kernel = moved(x, 0, rank + 1), moved(kernel, 0, rank + 1)
    x = reshape(x, shape=(*x.shape[: rank + 1], groups, x.shape[-1]))
    kernel = reshape(kernel, shape=(*kernel.shape[: rank + 1], groups, kernel.shape[-1]))
    return _apart(size, window.convolution(x, kernel, **geometry), rank + 1)


def _pooling(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        if "shape" in params:
            first, *rest = params["shape"]
            params = {**params, "shape": (size * first, *rest)}
        merged = [_merged(one) for one in all_batched(size, operands, batched)]
        return _apart(size, primitive(*merged, **params), 0)

    return rule


for _primitive in (window_pool.max_pool, window_pool.max_pool_gather, window_pool.max_pool_scatter,
                   window_pool.sum_pool, window_pool.sum_unpool):  # fmt: skip
    rules[_primitive] = _pooling(_primitive)

# -- positions ------------------------------------------------------------------------------------------


def _checked(indices: Tensor, length: int) -> Tensor:
    """Returns indices as they are, behind a guard: once they are shifted, one too large is in another row."""
    places = index.arange(start=0, step=1, length=length, dtype=indices.dtype)
    return index.take(places, indices, axis=0)


def _shifted(size: int, indices: Tensor, length: int) -> Tensor:
    """Returns each example's indices as indices into the rows of all examples, one below the other."""
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
    # Axes now: batch, those of the indices, what stood before the axis, what stood behind it.
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
        x, indices, rows = all_batched(size, operands, batched)
        length = x.shape[1]
        flat = reshape(x, shape=(size * length, *x.shape[2:]))
        count = indices.shape[1]
        places = reshape(_shifted(size, indices, length), shape=(size * count,))
        below = reshape(rows, shape=(size * count, *rows.shape[2:]))
        return reshape(primitive(flat, places, below), shape=x.shape)

    return rule


rules[index.add_rows] = _rows(index.add_rows)
rules[index.set_rows] = _rows(index.set_rows)


def _one_hot(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        return primitive(operands[0], **params)

    return rule


rules[index.one_hot] = _one_hot(index.one_hot)
rules[index.label_one_hot] = _one_hot(index.label_one_hot)


@batching(index.full)
def _full(size: int, operands: Operands, batched: Flags, shape: Shape) -> Tensor:
    return broadcast_to(reshape(operands[0], shape=(size, *(1,) * len(shape))), shape=(size, *shape))


# -- random numbers -------------------------------------------------------------------------------------

DRAWS = (
    random.random_bits, random.random_uniform, random.random_normal, random.random_truncated_normal,
    distributions.random_open, distributions.random_exponential, distributions.random_gumbel,
    distributions.random_laplace, distributions.random_logistic,
)  # fmt: skip


def drawn_apart(size: int, primitive: Primitive, key: Tensor, params: dict[str, Any]) -> Tensor:
    """Returns draws of one key that are different for each example."""
    return primitive(key, **{**params, "shape": (size, *params["shape"])})
