"""Values put together by segment, slices written by index, and the largest elements of a row."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.functions import operators
from penstock.functions.composite import composite
from penstock.lazy import listed, missing
from penstock.ops import index, pointwise, sort
from penstock.ops import segments as ops
from penstock.ops.gather import take_along_axis
from penstock.ops.shape import broadcast_to, reshape, slice_
from penstock.ops.table import Primitive, cast
from penstock.ops.validation import plain
from penstock.trace.convert import as_tensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


def _count(name: str, data: Any, ids: Any, num_segments: int | None, frame: Any) -> tuple[Any, Any, int]:
    data, ids = (_tensor(one) for one in (data, ids))
    if ids.dtype.kind not in "iu" or data.shape[: len(ids.shape)] != ids.shape:
        raise ShapeError(
            f"{name}: segment ids {ids._spec!r} do not fit data {data._spec!r}.",
            why="Each entry of the data's first axis (or axes) needs one integer.",
            remedy=f"Give integers of shape {data.shape[:1]}.",
            site=here(),
        )
    if num_segments is None:
        known = np.asarray(operators.looked_at(ids, name, frame))
        num_segments = int(known.max()) + 1 if known.size else 0
    num_segments = plain(num_segments)
    if isinstance(num_segments, bool) or not isinstance(num_segments, int) or num_segments < 0:
        raise PenstockError(
            f"{name} was given num_segments = {num_segments!r}.",
            remedy="Give a whole number: one more than the largest segment id.",
            site=here(),
        )
    return data, ids, num_segments


def _filled(value: float, shape: Any, dtype: Any) -> Tensor:
    return broadcast_to(cast(value, dtype=dtype), shape=shape)


@composite(2)
def _segment_sum(data: Any, ids: Any, count: int) -> Tensor:
    rest = data.shape[len(ids.shape) :]
    rows = reshape(data, shape=(ids._spec.size, *rest))
    flat = reshape(ids, shape=(ids._spec.size,))
    return index.add_rows(_filled(0, (count, *rest), data.dtype), flat, rows)


@composite(2)
def _segment_mean(data: Any, ids: Any, count: int) -> Tensor:
    total = _segment_sum(data, ids, count)
    members = _segment_sum(_filled(1, ids.shape, data.dtype), ids, count)
    members = reshape(pointwise.maximum(members, 1.0), shape=(count,) + (1,) * (len(total.shape) - 1))
    return total / pointwise.stop_gradient(members)


@composite(2)
def _segment_extreme(data: Any, ids: Any, count: int, largest: bool) -> Tensor:
    if data.dtype.kind in "iu":
        limits = np.iinfo(data.dtype)
        start: Any = int(limits.min if largest else limits.max)
    else:
        start = -np.inf if largest else np.inf
    primitive = ops.scatter_max if largest else ops.scatter_min
    return primitive(_filled(start, (count, *data.shape[len(ids.shape) :]), data.dtype), ids, data)


@composite(2)
def _segment_prod(data: Any, ids: Any, count: int) -> Tensor:
    return ops.scatter_multiply(_filled(1, (count, *data.shape[len(ids.shape) :]), data.dtype), ids, data)


def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None) -> Tensor:
    """Returns the sums of the slices of `data` with equal ids: [n, ...] and [n] give [num_segments, ...].

    Ids need not be sorted, and may have several axes, as many as data has in front. A segment without entries
    is 0. Without `num_segments` the ids are read, which runs the pending operations; inside a captured step
    it must be given. An id outside 0 .. num_segments - 1 raises RangeError when the value is computed.

    Args:
        data: numbers [n, ...].
        segment_ids: integers [n], from 0.
        num_segments: how many segments, an int; None for the largest id and one.

    Returns:
        A tensor [num_segments, ...] of the dtype of `data`.

    Raises:
        ShapeError: if `data` or `segment_ids` has the wrong shape, or names an axis that is not there.
        DTypeError: if `data` or `segment_ids` has the wrong dtype or type.
        RangeError: if an index is out of range.
        PenstockError: if `num_segments` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.segments.segment_sum(ps.asarray([1.0, 2.0, 4.0]), ps.asarray([0, 1, 0]), 2)
    Tensor([5., 2.], dtype=float32)
    """
    return _segment_sum(*_count("segment_sum", data, segment_ids, num_segments, _frame(1)))


def segment_mean(data: Any, segment_ids: Any, num_segments: int | None = None) -> Tensor:
    """Returns the means of the slices of `data` with equal ids; a segment without entries is 0.

    Args:
        data: numbers [n, ...].
        segment_ids: integers [n], from 0.
        num_segments: how many segments, an int; None for the largest id and one.

    Returns:
        A tensor [num_segments, ...] of the dtype of `data`.

    Raises:
        ShapeError: if `data` or `segment_ids` has the wrong shape, or names an axis that is not there.
        DTypeError: if `data` or `segment_ids` has the wrong dtype or type.
        RangeError: if an index is out of range.
        PenstockError: if `num_segments` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.segments.segment_mean(ps.asarray([1.0, 2.0, 4.0]), ps.asarray([0, 1, 0]), 2)
    Tensor([2.5, 2. ], dtype=float32)
    """
    return _segment_mean(*_count("segment_mean", data, segment_ids, num_segments, _frame(1)))


def segment_max(data: Any, segment_ids: Any, num_segments: int | None = None) -> Tensor:
    """Returns the largest of the slices of `data` with equal ids; equal ones share the gradient.

    A segment without entries is -inf, or the lowest number of an integer dtype.

    Args:
        data: numbers [n, ...].
        segment_ids: integers [n], from 0.
        num_segments: how many segments, an int; None for the largest id and one.

    Returns:
        A tensor [num_segments, ...] of the dtype of `data`.

    Raises:
        ShapeError: if `data` or `segment_ids` has the wrong shape, or names an axis that is not there.
        DTypeError: if `data` or `segment_ids` has the wrong dtype or type.
        RangeError: if an index is out of range.
        PenstockError: if `num_segments` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.segments.segment_max(ps.asarray([1.0, 2.0, 4.0]), ps.asarray([0, 1, 0]), 2)
    Tensor([4., 2.], dtype=float32)
    """
    return _segment_extreme(*_count("segment_max", data, segment_ids, num_segments, _frame(1)), True)


def segment_min(data: Any, segment_ids: Any, num_segments: int | None = None) -> Tensor:
    """Returns the smallest of the slices of `data` with equal ids; equal ones share the gradient.

    A segment without entries is inf, or the highest number of an integer dtype.

    Args:
        data: numbers [n, ...].
        segment_ids: integers [n], from 0.
        num_segments: how many segments, an int; None for the largest id and one.

    Returns:
        A tensor [num_segments, ...] of the dtype of `data`.

    Raises:
        ShapeError: if `data` or `segment_ids` has the wrong shape, or names an axis that is not there.
        DTypeError: if `data` or `segment_ids` has the wrong dtype or type.
        RangeError: if an index is out of range.
        PenstockError: if `num_segments` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.segments.segment_min(ps.asarray([1.0, 2.0, 4.0]), ps.asarray([0, 1, 0]), 2)
    Tensor([1., 2.], dtype=float32)
    """
    return _segment_extreme(*_count("segment_min", data, segment_ids, num_segments, _frame(1)), False)


def segment_prod(data: Any, segment_ids: Any, num_segments: int | None = None) -> Tensor:
    """Returns the products of the slices of `data` with equal ids; a segment without entries is 1.

    Args:
        data: numbers [n, ...].
        segment_ids: integers [n], from 0.
        num_segments: how many segments, an int; None for the largest id and one.

    Returns:
        A tensor [num_segments, ...] of the dtype of `data`.

    Raises:
        ShapeError: if `data` or `segment_ids` has the wrong shape, or names an axis that is not there.
        DTypeError: if `data` or `segment_ids` has the wrong dtype or type.
        RangeError: if an index is out of range.
        PenstockError: if `num_segments` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.segments.segment_prod(ps.asarray([3.0, 2.0, 4.0]), ps.asarray([0, 1, 0]), 2)
    Tensor([12.,  2.], dtype=float32)
    """
    return _segment_prod(*_count("segment_prod", data, segment_ids, num_segments, _frame(1)))


@composite(3)
def scatter_add(x: Any, indices: Any, updates: Any) -> Tensor:
    """Returns x with `updates` added to the slices x[indices]; equal indices add up.

    `indices` are integers within the first axis, of any shape; updates have shape
    (*indices.shape, *x.shape[1:]). An index outside raises RangeError when the value is computed.

    Args:
        x: numbers with at least one axis.
        indices: integers of any shape, within the first axis of `x`.
        updates: numbers of the shape `indices.shape + x.shape[1:]`, or that broadcast to it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `indices` or `updates` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `updates` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> ps.segments.scatter_add(ps.zeros((3,)), ps.asarray([2, 2]), ps.asarray([1.0, 5.0]))
    Tensor([0., 0., 6.], dtype=float32)
    """
    return index.add_rows(x, *_flat("scatter_add", x, indices, updates))


@composite(3)
def scatter_update(x: Any, indices: Any, updates: Any) -> Tensor:
    """Returns x with `updates` in place of the slices x[indices]; of equal indices the last one counts.

    Args:
        x: numbers with at least one axis.
        indices: integers of any shape, within the first axis of `x`.
        updates: numbers of the shape `indices.shape + x.shape[1:]`, or that broadcast to it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `indices` or `updates` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `updates` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> ps.segments.scatter_update(ps.zeros((3,)), ps.asarray([2]), ps.asarray([5.0]))
    Tensor([0., 0., 5.], dtype=float32)
    """
    return index.set_rows(x, *_flat("scatter_update", x, indices, updates))


def _flat(name: str, x: Any, indices: Any, updates: Any) -> tuple[Tensor, Tensor]:
    wanted = (*indices.shape, *x.shape[1:])
    if not x.shape or updates.shape != wanted:
        raise ShapeError(
            f"{name}: indices {indices.shape} and updates {updates.shape} do not fit {x.shape}.",
            why="Each index names a slice of the first axis, and needs an update of that slice's shape.",
            remedy=f"Give updates of shape {wanted}.",
            site=here(),
        )
    count = indices._spec.size
    return reshape(indices, shape=(count,)), reshape(updates, shape=(count, *x.shape[1:]))


def _scattered(primitive: Primitive, x: Any, indices: Any, updates: Any, frame: Any) -> Tensor:
    return primitive.record((x, indices, updates), {}, frame)


def scatter_max(x: Any, indices: Any, updates: Any) -> Tensor:
    """Returns x with each slice x[indices] raised to its updates; equal ones share the gradient.

    Args:
        x: numbers with at least one axis.
        indices: integers of any shape, within the first axis of `x`.
        updates: numbers of the shape `indices.shape + x.shape[1:]`, or that broadcast to it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `indices` or `updates` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `updates` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> ps.segments.scatter_max(ps.ones((2,)), ps.asarray([1, 0]), ps.asarray([5.0, 0.5]))
    Tensor([1., 5.], dtype=float32)
    """
    return _scattered(ops.scatter_max, x, indices, updates, _frame(1))


def scatter_min(x: Any, indices: Any, updates: Any) -> Tensor:
    """Returns x with each slice x[indices] lowered to its updates; equal ones share the gradient.

    Args:
        x: numbers with at least one axis.
        indices: integers of any shape, within the first axis of `x`.
        updates: numbers of the shape `indices.shape + x.shape[1:]`, or that broadcast to it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `indices` or `updates` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `updates` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> ps.segments.scatter_min(ps.ones((2,)), ps.asarray([1, 0]), ps.asarray([5.0, 0.5]))
    Tensor([0.5, 1. ], dtype=float32)
    """
    return _scattered(ops.scatter_min, x, indices, updates, _frame(1))


def scatter_multiply(x: Any, indices: Any, updates: Any) -> Tensor:
    """Returns x with the slices x[indices] multiplied by `updates`; equal indices multiply up.

    Args:
        x: numbers with at least one axis.
        indices: integers of any shape, within the first axis of `x`.
        updates: numbers of the shape `indices.shape + x.shape[1:]`, or that broadcast to it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x`, `indices` or `updates` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `updates` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> ps.segments.scatter_multiply(ps.ones((2,)), ps.asarray([1, 1]), ps.asarray([5.0, 0.5]))
    Tensor([1. , 2.5], dtype=float32)
    """
    return _scattered(ops.scatter_multiply, x, indices, updates, _frame(1))


@composite(1)
def top_k(x: Any, k: int = 1) -> tuple[Tensor, Tensor]:
    """Returns the k largest elements along the last axis, largest first, and their positions.

    Of equal elements the first comes first; NaN counts as largest. Gradients reach the elements chosen.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        k: how many, an int.

    Returns:
        A tuple of the values, and their positions as int64, both [..., k].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `k` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.segments.top_k(ps.asarray([1.0, 3.0, 2.0]), 2)
    (Tensor([3., 2.], dtype=float32), Tensor([1, 2], dtype=int64))
    """
    axis = len(x.shape) - 1
    if isinstance(k, bool) or not isinstance(k, int) or axis < 0 or not 0 <= k <= x.shape[axis]:
        raise ShapeError(
            f"top_k: {k!r} elements were asked for along the last axis of shape {x.shape}.",
            remedy=f"Ask for 0 .. {x.shape[axis]}." if x.shape else "Give a value with at least one axis.",
            site=here(),
        )
    order = sort.argsort(x, axis=axis, descending=True, stable=True)
    positions = slice_(order, window=(*((0, n, 1) for n in x.shape[:-1]), (0, k, 1)))
    return take_along_axis(x, positions, axis=axis), positions


if not TYPE_CHECKING:
    # To type checkers a name that is nowhere stays an error.
    __getattr__ = missing(__name__)

__all__ = [
    "scatter_add", "scatter_max", "scatter_min", "scatter_multiply", "scatter_update", "segment_max",
    "segment_mean", "segment_min", "segment_prod", "segment_sum", "top_k",
]  # fmt: skip
__dir__ = listed(__name__)
