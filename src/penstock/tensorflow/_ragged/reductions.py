"""Reductions of ragged tensors: along rows, across rows, and over all elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.tensorflow import _elementwise, _reductions, _scatter
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._ragged import arranging, leaves
from penstock.tensorflow._ragged.partition import RowPartition, ends, spans
from penstock.tensorflow._ragged.tensor import RaggedTensor, cut_again, made
from penstock.trace.source_site import here

Segments = Callable[[Any, Any, int], Any]

_SEGMENTS: dict[str, Segments] = {
    "sum": _scatter.unsorted_segment_sum,
    "prod": _scatter.unsorted_segment_prod,
    "max": _scatter.unsorted_segment_max,
    "min": _scatter.unsorted_segment_min,
}
_WHOLE: dict[str, Callable[..., Any]] = {
    "sum": _reductions.reduce_sum,
    "prod": _reductions.reduce_prod,
    "max": _reductions.reduce_max,
    "min": _reductions.reduce_min,
    "mean": _reductions.reduce_mean,
    "variance": _reductions.reduce_variance,
    "std": _reductions.reduce_std,
    "any": _reductions.reduce_any,
    "all": _reductions.reduce_all,
}


def _axes(axis: Any, rank: int) -> list[int] | None:
    if axis is None:
        return None
    given = np.asarray(axis.numpy() if hasattr(axis, "numpy") else axis)
    numbers = [int(one) for one in given.reshape(-1)]
    for one in numbers:
        if not -rank <= one < rank:
            raise ArgumentError(f"axis={one} out of bounds: expected {-rank}<=axis<{rank}", site=here())
    found = sorted({one % rank for one in numbers})
    return None if len(found) == rank else found


def reduction(kind: str) -> Any:
    """Returns the implementation of a reduction for ragged tensors."""

    def way(
        function: Any, input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
    ) -> Any:
        return reduced(kind, input_tensor, axis, bool(keepdims))

    return way


def reduced(kind: str, x: RaggedTensor, axis: Any, keepdims: bool) -> Any:
    """Returns a ragged tensor reduced along axes, or over all elements."""
    rank = len(x.shape)
    axes = _axes(axis, rank)
    if axes is None:
        found = _WHOLE[kind](x.flat_values)
        for _ in range(rank if keepdims else 0):
            found = found[None]
        return found
    if kind == "mean":
        return _mean(x, axes, keepdims)
    if kind in ("variance", "std"):
        squares = _mean(_flat(x, _elementwise.square), axes, keepdims)
        mean = _mean(x, axes, keepdims)
        found = _flat_two(squares, _flat(mean, _elementwise.square), _elementwise.subtract)
        return found if kind == "variance" else _flat(found, _elementwise.sqrt)
    if kind in ("any", "all"):
        numbers = _flat(x, lambda one: _elementwise.cast(one, np.int32))
        found = reduced("max" if kind == "any" else "min", numbers, axes, keepdims)
        return _flat(found, lambda one: _elementwise.greater(one, 0))
    found = x
    for one in reversed(axes):
        found = _along(kind, found, one)
    for one in axes if keepdims else ():
        found = arranging.expand_dims(found, one)
    return found


def _mean(x: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    total = reduced("sum", x, axes, keepdims)
    ones = cut_again(x, leaves.filling(x.flat_values, 1, tuple(int(n) for n in x.flat_values.shape)))
    return _flat_two(total, reduced("sum", ones, axes, keepdims), _elementwise.divide)


def _flat(x: Any, function: Callable[[Any], Any]) -> Any:
    return cut_again(x, function(x.flat_values)) if isinstance(x, RaggedTensor) else function(x)


def _flat_two(x: Any, y: Any, function: Callable[[Any, Any], Any]) -> Any:
    if isinstance(x, RaggedTensor):
        return cut_again(x, function(x.flat_values, y.flat_values))
    return function(x, y)


def _along(kind: str, x: Any, axis: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return _WHOLE[kind](x, axis)
    own = x._partition
    if axis > 1:
        return made(_along(kind, x.values, axis - 1), own)
    if axis == 1:
        return _by_segment(kind, x.values, own.ids, own.count)
    columns = spans(np.zeros(own.count), own.lengths)
    return _by_segment(kind, x.values, columns, int(own.lengths.max()) if own.count else 0)


def _by_segment(kind: str, values: Any, ids: Any, count: int) -> Any:
    """Returns the values of each segment put together; rows of rows place by place."""
    if not isinstance(values, RaggedTensor):
        return _SEGMENTS[kind](values, constant(np.asarray(ids, np.int64)), count)
    own = values._partition
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, ids, own.lengths)
    splits = ends(longest)
    places = spans(splits[:-1][ids], own.lengths)
    inner = _by_segment(kind, values.values, places, int(splits[-1]))
    return made(inner, RowPartition(splits, None, own.dtype_))


__all__ = ["reduced", "reduction"]
