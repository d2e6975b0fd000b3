"""Values written to places of a tensor, or added there: scatter and its relatives."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import segments
from penstock.functions.composite import composite
from penstock.paddle import _math, _slicing
from penstock.paddle._convert import HANDLES, data, operand, values_of
from penstock.paddle._declaring import method
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import saving
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@composite(3, "scatter")
def _scatter(x: Any, index: Any, updates: Any, overwrite: bool) -> Tensor:
    index = native.reshape(index, (-1,))
    if overwrite:
        return segments.scatter_update(x, index, updates)
    emptied = segments.scatter_update(x, index, native.zeros_like(updates))
    return segments.scatter_add(emptied, index, updates)


@method("scatter_")
def scatter(
    x: Any, index: Any, updates: Any = None, overwrite: Any = True, name: Any = None,
    *, dim: int | None = None, src: Any = None, value: Any = None, reduce: str | None = None,
) -> Any:  # fmt: skip
    """Returns x with other rows at `index`; without `overwrite`, with the sums of the updates for each.

    With the axis before the index, scatter(x, 0, index, src), or as `dim`, it puts elements along an axis, as
    other frameworks do: those of `src`, or one `value`; `reduce` says how they meet what is there.

    >>> from penstock import paddle
    >>> x = paddle.ones([3, 1])
    >>> paddle.scatter(x, paddle.to_tensor([2, 0]), paddle.to_tensor([[5.0], [7.0]])).flatten().tolist()
    [7.0, 1.0, 5.0]
    """
    if isinstance(index, int):
        # The axis came first, so each of the others is one place further on.
        dim, index, source = index, updates, None if overwrite is True else overwrite
    else:
        source = updates
    if dim is not None:
        given = [one for one in (source, src, value) if one is not None]
        if len(given) != 1 or index is None:
            raise InvalidValueError(
                f"scatter() along the axis {dim} was given {len(given)} sources.",
                remedy="Write scatter(x, dim, index, src): with one of src and value.",
                site=here(),
            )
        return put_along_axis(x, index, given[0], dim, reduce or "assign", broadcast=False)
    if updates is None or not (src is value is reduce is None):
        raise InvalidValueError(
            "scatter() was given no updates." if updates is None else "scatter() takes src with dim only.",
            remedy="Write scatter(x, index, updates) for rows, or scatter(x, dim, index, src).",
            site=here(),
        )
    return _scatter(operand(x), operand(index), operand(updates), bool(overwrite))


@composite(3, "scatter_nd_add")
def _scattered(x: Any, index: Any, updates: Any) -> Tensor:
    depth = index.shape[-1]
    outer, inner = x.shape[:depth], x.shape[depth:]
    strides = np.asarray([math.prod(outer[i + 1 :]) for i in range(depth)], np.int64)
    places = native.sum(index.astype("int64") * native.asarray(strides), axis=-1)
    flat = native.reshape(x, (math.prod(outer), *inner))
    made = segments.scatter_add(flat, native.reshape(places, (-1,)), native.reshape(updates, (-1, *inner)))
    return native.reshape(made, x.shape)


@method
def scatter_nd_add(x: Any, index: Any, updates: Any, name: Any = None) -> Any:
    """Returns x with values added at places that the last axis of `index` names."""
    return _scattered(operand(x), operand(index), operand(updates))


@method
def scatter_nd(index: Any, updates: Any, shape: Any, name: Any = None) -> Any:
    """Returns zeros of a shape with values added at places that the last axis of `index` names."""
    rows = operand(updates)
    lengths = [int(one) for one in (shape if isinstance(shape, list | tuple) else values_of(shape))]
    return _scattered(data(np.zeros(lengths, rows._spec.dtype)), operand(index), rows)


@composite(3, "index_add")
def _index_add(x: Any, index: Any, value: Any, axis: int) -> Tensor:
    moved = segments.scatter_add(native.moveaxis(x, axis, 0), index, native.moveaxis(value, axis, 0))
    return native.moveaxis(moved, 0, axis)


@method("index_add_")
def index_add(x: Any, index: Any, axis: Any, value: Any, alpha: Any = 1, name: Any = None) -> Any:
    """Returns x with slices, `alpha` times `value`, added at `index` along an axis.

    The axis may come before the index, as other frameworks have it.
    """
    if isinstance(index, int):
        index, axis = axis, index
    if isinstance(alpha, HANDLES) or alpha != 1:
        value = operand(value) * alpha
    return _index_add(operand(x), operand(index), operand(value), int(axis))


@composite(2, "index_fill")
def _index_fill(x: Any, index: Any, value: Any, axis: int) -> Tensor:
    hit = segments.segment_sum(native.ones_like(index), index, x.shape[axis]) > 0
    shape = tuple(x.shape[axis] if i == axis % len(x.shape) else 1 for i in range(len(x.shape)))
    return native.where(native.reshape(hit, shape), native.full_like(x, value), x)


@method("index_fill_")
def index_fill(x: Any, index: Any, axis: int, value: Any, name: Any = None) -> Any:
    """Returns x with one number in the slices at `index` along an axis."""
    number = values_of(value).item() if not isinstance(value, int | float) else value
    x = operand(x)
    return _index_fill(
        x, operand(index), float(number) if x._spec.dtype.kind in "fV" else int(number), int(axis)
    )


@composite(3, "put_along_axis")
def _put(x: Any, indices: Any, values: Any, axis: int, way: str) -> Tensor:
    values = native.broadcast_to(values, indices.shape)
    rank = len(x.shape)
    grid = [
        native.reshape(native.arange(n), tuple(-1 if i == place else 1 for i in range(rank)))
        for place, n in enumerate(indices.shape)
    ]
    grid[axis % rank] = indices
    place: Any = 0
    for one, length in zip(grid, x.shape, strict=True):
        place = place * length + one
    flat, where = native.reshape(x, (-1,)), native.reshape(native.broadcast_to(place, indices.shape), (-1,))
    write = {
        "assign": segments.scatter_update, "add": segments.scatter_add, "mul": segments.scatter_multiply,
        "multiply": segments.scatter_multiply, "amax": segments.scatter_max, "amin": segments.scatter_min,
    }[way]  # fmt: skip
    return native.reshape(write(flat, where, native.reshape(values, (-1,))), x.shape)


@method("put_along_axis_")
def put_along_axis(
    arr: Any, indices: Any, values: Any, axis: int, reduce: str = "assign", include_self: bool = True,
    broadcast: bool = True,
) -> Any:  # fmt: skip
    """Returns a tensor with values put, added, multiplied and so on, at places along an axis.

    `reduce` is "assign", "add", "mul", "mean", "amax" or "amin". Without `include_self`, what stood at the
    places does not count.
    """
    if reduce not in ("assign", "add", "mul", "multiply", "mean", "amax", "amin"):
        raise InvalidValueError(
            f"put_along_axis: reduce={reduce!r}; it is 'assign', 'add', 'mul', 'mean', 'amax' or 'amin'.",
            site=here(),
        )
    x = operand(arr)
    given = operand(np.asarray(values, x._spec.dtype)) if isinstance(values, int | float) else operand(values)
    places = operand(indices)
    if broadcast:
        lengths = list(x._spec.shape)
        lengths[axis] = places._spec.shape[axis]
        places = native.broadcast_to(places, tuple(lengths))
    way = "add" if reduce == "mean" else reduce
    start = x
    if not include_self and reduce != "assign":
        start = _put(x, places, data(np.asarray(_neutral(way, x._spec.dtype))), int(axis), "assign")
    found = _put(start, places, given, int(axis), way)
    if reduce != "mean":
        return saving(found, _frame(1), x)
    # The number of values added at each place; places without any are divided by 1.
    ones = data(np.ones((), x._spec.dtype))
    alone = data(np.full(x._spec.shape, 1, x._spec.dtype))
    if not include_self:
        alone = _put(alone, places, data(np.zeros((), x._spec.dtype)), int(axis), "assign")
    count = _put(alone, places, ones, int(axis), "add")
    return saving(found // count if x._spec.dtype.kind in "iu" else found / count, _frame(1), x, result=True)


def _neutral(way: str, dtype: np.dtype[Any]) -> Any:
    """Returns the neutral element of a reduction."""
    if way in ("add", "mul", "multiply"):
        return np.asarray(0 if way == "add" else 1, dtype)
    limits: Any = np.iinfo(dtype) if dtype.kind in "iu" else None
    if limits is None:
        return np.asarray(-np.inf if way == "amax" else np.inf, dtype)
    return np.asarray(limits.min if way == "amax" else limits.max, dtype)


def _at(x: Any, places: np.ndarray[Any, Any], values: Any) -> Any:
    """Returns x, laid flat, with values at places, in x's shape."""
    flat = x.reshape([-1])
    values = _math.cast(operand(values), x._spec.dtype.name)
    if values._spec.shape != places.shape:
        values = values.expand(list(places.shape))
    found = scatter(flat, data(places.reshape(-1)), values.reshape([-1]))
    return found.reshape(list(x._spec.shape))


def _numbered(x: Any) -> np.ndarray[Any, Any]:
    return np.arange(x._spec.size).reshape(x._spec.shape)


@method
def diagonal_scatter(
    x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None
) -> Any:
    """Returns x with the values y, which get no gradient, on a diagonal."""
    x = operand(x)
    return _at(x, np.diagonal(_numbered(x), offset, axis1, axis2), operand(y).detach())


@method
def select_scatter(x: Any, values: Any, axis: int, index: int, name: Any = None) -> Any:
    """Returns x with values at one place of an axis."""
    x, values = operand(x), operand(values)
    return saving(_at(x, np.take(_numbered(x), index, axis), values), _frame(1), values)


@method
def slice_scatter(
    x: Any, value: Any, axes: Any, starts: Any, ends: Any, strides: Any, name: Any = None
) -> Any:
    """Returns x with values in a part of it."""
    x = operand(x)
    key: list[Any] = [slice(None)] * x._spec.ndim
    for axis, start, stop, step in zip(axes, starts, ends, strides, strict=True):
        key[axis] = slice(start, stop, step)
    value = operand(value)
    return saving(_at(x, _numbered(x)[tuple(key)], value), _frame(1), value)


@method("masked_scatter_")
def masked_scatter(x: Any, mask: Any, value: Any, name: Any = None) -> Any:
    """Returns x with the first values, in order, where the mask is true; the mask is looked at."""
    x, value = operand(x), operand(value)
    chosen = np.broadcast_to(np.asarray(operand(mask)), x._spec.shape)
    places = np.flatnonzero(chosen)
    if value._spec.size < places.size:
        raise InvalidValueError(
            f"mask true numbers must be <= value size, but got mask true numbers is {places.size}, value "
            f"size is {value._spec.size}.",
            site=here(),
        )
    return _at(x, places, value.reshape([-1])[: places.size])


@method("index_put_")
def index_put(x: Any, indices: Any, value: Any, accumulate: bool = False, name: Any = None) -> Any:
    """Returns x with values at indices, one tensor for each axis, or added there with `accumulate`."""
    x, value = operand(x), operand(value)
    places = _numbered(x)[tuple(np.asarray(operand(one)) for one in indices)]
    if not accumulate:
        return _at(x, places, value)
    values = _math.cast(value, x._spec.dtype.name)
    if values._spec.shape != places.shape:
        values = values.expand(list(places.shape))
    added = index_add(x.reshape([-1]), data(places.reshape(-1)), 0, values.reshape([-1]))
    return added.reshape(list(x._spec.shape))


@method("scatter_add_")
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Returns x with values added along an axis, at the places that `index` has in their place."""
    return put_along_axis(input, index, _as_large(src, index), dim, "add", True, False)


@method
def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Returns x with values brought together with its own along an axis: their sum, product, mean ..."""
    way = {"sum": "add", "prod": "mul"}.get(reduce, reduce)
    return put_along_axis(input, index, _as_large(src, index), dim, way, include_self, False)


def _as_large(src: Any, index: Any) -> Any:
    """Returns the first values along each axis, as many as there are indices."""
    src, lengths = operand(src), operand(index)._spec.shape
    if src._spec.shape == lengths:
        return src
    return _slicing.slice(src, list(range(len(lengths))), [0] * len(lengths), list(lengths))
