"""Less common functions that write, select, count and order elements, under Paddle's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import segments
from penstock.functions.composite import composite
from penstock.ops import scan
from penstock.paddle._convert import data, operand
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _looked(x: Any) -> np.ndarray[Any, Any]:
    return np.asarray(operand(x).numpy())


# -- writing to places ----------------------------------------------------------------------------------


@composite(3, "scatter")
def _scatter(x: Any, index: Any, updates: Any, overwrite: bool) -> Tensor:
    index = native.reshape(index, (-1,))
    if overwrite:
        return segments.scatter_update(x, index, updates)
    emptied = segments.scatter_update(x, index, native.zeros_like(updates))
    return segments.scatter_add(emptied, index, updates)


def scatter(x: Any, index: Any, updates: Any, overwrite: bool = True, name: Any = None) -> Any:
    """Returns x with other rows at `index`; without `overwrite`, with the sums of what is given for each.

    >>> from penstock import paddle
    >>> x = paddle.ones([3, 1])
    >>> paddle.scatter(x, paddle.to_tensor([2, 0]), paddle.to_tensor([[5.0], [7.0]])).flatten().tolist()
    [7.0, 1.0, 5.0]
    """
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


def scatter_nd_add(x: Any, index: Any, updates: Any, name: Any = None) -> Any:
    """Returns x with values added at places that the last axis of `index` names."""
    return _scattered(operand(x), operand(index), operand(updates))


def scatter_nd(index: Any, updates: Any, shape: Any, name: Any = None) -> Any:
    """Returns zeros of a shape with values added at places that the last axis of `index` names."""
    rows = operand(updates)
    lengths = [int(one) for one in (shape if isinstance(shape, list | tuple) else _looked(shape))]
    return _scattered(data(np.zeros(lengths, rows._spec.dtype)), operand(index), rows)


@composite(3, "index_add")
def _index_add(x: Any, index: Any, value: Any, axis: int) -> Tensor:
    moved = segments.scatter_add(native.moveaxis(x, axis, 0), index, native.moveaxis(value, axis, 0))
    return native.moveaxis(moved, 0, axis)


def index_add(x: Any, index: Any, axis: int, value: Any, name: Any = None) -> Any:
    """Returns x with slices added at `index` along an axis."""
    return _index_add(operand(x), operand(index), operand(value), int(axis))


@composite(2, "index_fill")
def _index_fill(x: Any, index: Any, value: Any, axis: int) -> Tensor:
    hit = segments.segment_sum(native.ones_like(index), index, x.shape[axis]) > 0
    shape = tuple(x.shape[axis] if i == axis % len(x.shape) else 1 for i in range(len(x.shape)))
    return native.where(native.reshape(hit, shape), native.full_like(x, value), x)


def index_fill(x: Any, index: Any, axis: int, value: Any, name: Any = None) -> Any:
    """Returns x with one number in the slices at `index` along an axis."""
    number = _looked(value).item() if not isinstance(value, int | float) else value
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
        return found
    # How many values met at each place; those that nothing was put to are divided by 1.
    ones = data(np.ones((), x._spec.dtype))
    alone = data(np.full(x._spec.shape, 1, x._spec.dtype))
    if not include_self:
        alone = _put(alone, places, data(np.zeros((), x._spec.dtype)), int(axis), "assign")
    count = _put(alone, places, ones, int(axis), "add")
    return found // count if x._spec.dtype.kind in "iu" else found / count


def _neutral(way: str, dtype: np.dtype[Any]) -> Any:
    """Returns what changes nothing that it is brought together with."""
    if way in ("add", "mul", "multiply"):
        return np.asarray(0 if way == "add" else 1, dtype)
    limits: Any = np.iinfo(dtype) if dtype.kind in "iu" else None
    if limits is None:
        return np.asarray(-np.inf if way == "amax" else np.inf, dtype)
    return np.asarray(limits.min if way == "amax" else limits.max, dtype)


# -- picking --------------------------------------------------------------------------------------------


@composite(2, "index_sample")
def _sample(x: Any, index: Any) -> Tensor:
    return native.take_along_axis(x, index, axis=1)


def index_sample(x: Any, index: Any) -> Any:
    """Returns, of each row of x, the elements at the places in the same row of `index`."""
    return _sample(operand(x), operand(index))


def repeat_interleave(x: Any, repeats: Any, axis: Any = None, name: Any = None) -> Any:
    """Returns each element, or each slice along an axis, so often in a row."""
    x = operand(x)
    counts = np.asarray(repeats) if isinstance(repeats, int) else _looked(repeats)
    if axis is None:
        x, axis = native.reshape(x, (-1,)), 0
    length = x._spec.shape[axis]
    order = np.repeat(np.arange(length), np.broadcast_to(counts.reshape(-1), (length,)))
    return native.take(x, data(order), axis=axis)


def take(x: Any, index: Any, mode: str = "raise", name: Any = None) -> Any:
    """Returns elements by their places in x, flattened."""
    x, places = operand(x), operand(index)
    size = x._spec.size
    if mode == "wrap":
        places = places % size
    elif mode == "clip":
        places = native.clip(places, 0, size - 1)
    elif mode == "raise":
        places = native.where(places < 0, places + size, places)
    else:
        raise InvalidValueError(
            f"'mode' in 'take' should be 'raise', 'wrap', 'clip', but received {mode}.", site=here()
        )
    return native.take(native.reshape(x, (-1,)), places, axis=0)


@composite(1, "rot90")
def _rot90(x: Any, k: int, axes: Any) -> Tensor:
    first, second = axes
    order = list(range(len(x.shape)))
    order[first], order[second] = order[second], order[first]
    for _ in range(k % 4):
        x = native.flip(native.permute_dims(x, tuple(order)), axis=first)
    return x  # type: ignore[no-any-return]


def rot90(x: Any, k: int = 1, axes: Any = (0, 1), name: Any = None) -> Any:
    """Returns x turned by so many right angles in the plane of two axes."""
    x = operand(x)
    rank = len(x._spec.shape)
    return _rot90(x, int(k), tuple(int(one) % rank for one in axes))


def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """Returns a part of x: from `starts` to `ends` along `axes`."""
    return strided_slice(input, axes, starts, ends, [1] * len(axes))


def strided_slice(x: Any, axes: Any, starts: Any, ends: Any, strides: Any, name: Any = None) -> Any:
    """Returns a part of x: from `starts` to `ends` in `strides` along `axes`."""
    x = operand(x)

    def number(one: Any) -> int:
        return int(one) if isinstance(one, int) else int(_looked(one).item())

    key = [_ALL] * len(x._spec.shape)
    for axis, start, end, step in zip(axes, starts, ends, strides, strict=True):
        key[axis] = _SLICE(number(start), number(end), number(step))  # type: ignore[arg-type]
    return x[tuple(key)]


_SLICE = type(np.s_[:])
_ALL = np.s_[:]


def crop(x: Any, shape: Any = None, offsets: Any = None, name: Any = None) -> Any:
    """Returns a part of x of this shape, from these places on; -1 takes what there is."""
    x = operand(x)
    own = x._spec.shape
    begin = [0] * len(own) if offsets is None else [int(one) for one in offsets]
    lengths = list(own) if shape is None else [int(one) for one in shape]
    key = [
        _SLICE(first, n if count == -1 else first + count)
        for first, n, count in zip(begin, own, lengths, strict=True)
    ]
    found = x[tuple(key)]
    # Unlike what indexing gives, it shares no memory with x.
    found._note("copy", True)
    return found


def is_empty(x: Any, name: Any = None) -> Any:
    """Returns whether there are no elements."""
    return data(np.asarray(operand(x)._spec.size == 0))


def tolist(x: Any) -> Any:
    """Returns the values as Python lists."""
    return _looked(x).tolist()


def view_as(x: Any, other: Any, name: Any = None) -> Any:
    """Returns x in the shape of another tensor."""
    return native.reshape(operand(x), operand(other)._spec.shape)


# -- ordered and counted --------------------------------------------------------------------------------


@composite(1, "cumprod")
def _cumprod(x: Any, axis: int) -> Tensor:
    return native.cumulative_prod(x, axis=axis, dtype=x.dtype)


def cumprod(x: Any, dim: Any = None, dtype: Any = None, name: Any = None) -> Any:
    """Returns the products of the elements up to each one, along an axis or of x flattened."""
    x = operand(x) if dtype is None else operand(x).astype(numpy_dtype(dtype).name)
    return _cumprod(native.reshape(x, (-1,)) if dim is None else x, 0 if dim is None else int(dim))


def _along(x: Any, axis: Any) -> tuple[Any, int]:
    return (native.reshape(x, (-1,)), 0) if axis is None else (x, int(axis))


@composite(1, "cummax")
def _cummax(x: Any, axis: int, dtype: Any) -> tuple[Tensor, Tensor]:
    return native.cumulative_max(x, axis=axis), _places(scan.running_argmax, x, axis, dtype)


@composite(1, "cummin")
def _cummin(x: Any, axis: int, dtype: Any) -> tuple[Tensor, Tensor]:
    return native.cumulative_min(x, axis=axis), _places(scan.running_argmin, x, axis, dtype)


def _places(primitive: Any, x: Any, axis: int, dtype: Any) -> Tensor:
    return native.astype(primitive(x, axis=axis % len(x.shape), reverse=False), dtype)


def _places_dtype(name: str, dtype: Any) -> np.dtype[Any]:
    wanted = numpy_dtype(dtype)
    if wanted.name not in ("int32", "int64"):
        raise InvalidValueError(
            f"{name}: dtype of indices must be int32 or int64, but received {wanted}.", site=here()
        )
    return wanted


def cummax(x: Any, axis: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns the largest of the elements up to each one, along an axis or of x flattened, and their places.

    Of equal ones it is the latest that is counted, and has the gradient.

    >>> from penstock import paddle
    >>> values, places = paddle.cummax(paddle.to_tensor([1.0, 3.0, 2.0, 3.0]))
    >>> values.tolist(), places.tolist()
    ([1.0, 3.0, 3.0, 3.0], [0, 1, 1, 3])
    """
    wanted = _places_dtype("cummax", dtype)
    return _cummax(*_along(operand(x), axis), wanted)


def cummin(x: Any, axis: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns the smallest of the elements up to each one, along an axis or of x flattened, and their places.

    Of equal ones it is the latest that is counted, and has the gradient.
    """
    wanted = _places_dtype("cummin", dtype)
    return _cummin(*_along(operand(x), axis), wanted)


@composite(1, "logcumsumexp", wide=True)
def _logcumsumexp(x: Any, axis: int) -> Tensor:
    return native.cumulative_logsumexp(x, axis=axis)


def logcumsumexp(x: Any, axis: Any = None, dtype: Any = None, name: Any = None) -> Any:
    """Returns log(sum(exp(x))) of the elements up to each one, along an axis or of x flattened.

    Of elements that are all -inf it is -inf; Paddle's is the lowest number of the dtype.
    """
    x = operand(x) if dtype is None else operand(x).astype(numpy_dtype(dtype).name)
    if x._spec.dtype.kind in "iub":
        x = x.astype("float32")
    return _logcumsumexp(*_along(x, axis))


@composite(1, "diff")
def _diff(x: Any, n: int, axis: int) -> Tensor:
    return native.diff(x, n=n, axis=axis)


def diff(
    x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None, name: Any = None
) -> Any:
    """Returns the differences between neighbours along an axis."""
    parts = [operand(one) for one in (prepend, x, append) if one is not None]
    whole = parts[0] if len(parts) == 1 else native.concat(parts, axis=axis)
    return _diff(whole, int(n), int(axis))


@composite(1, "median", wide=True)
def _median(x: Any, axis: int, keepdim: bool, mean: bool) -> Tensor:
    ordered = native.sort(x, axis=axis)
    length = x.shape[axis]
    low, high = (length - 1) // 2, length // 2
    found = native.take(ordered, native.asarray(np.asarray([low])), axis=axis)
    if mean and high != low:
        found = (found + native.take(ordered, native.asarray(np.asarray([high])), axis=axis)) * 0.5
    return found if keepdim else native.squeeze(found, axis=axis)


def median(x: Any, axis: Any = None, keepdim: bool = False, mode: str = "avg", name: Any = None) -> Any:
    """Returns the middle element along an axis, or of all; of an even number the mean of two.

    With the mode "min" it is the lower of the two, and its place comes with it where an axis is given.
    """
    if mode not in ("avg", "min"):
        raise InvalidValueError(f"Mode {mode} is not supported. Must be avg or min.", site=here())
    x = operand(x)
    if mode == "min":
        flat = native.reshape(x, (-1,)) if axis is None else x
        one = 0 if axis is None else int(axis)
        found, places = kthvalue(
            flat, (flat._spec.shape[one] + 1) // 2, one, bool(keepdim) and axis is not None
        )
        if axis is None:
            return native.reshape(found, (1,) * len(x._spec.shape)) if keepdim else found
        return found, places
    if x._spec.dtype.kind in "iub":
        x = x.astype("float32")
    if axis is None:
        shape = (1,) * len(x._spec.shape)
        found = _median(native.reshape(x, (-1,)), 0, False, True)
        return native.reshape(found, shape) if keepdim else found
    return _median(x, int(axis), bool(keepdim), True)


@composite(1, "nansum", wide=True)
def _nansum(x: Any, axis: Any, keepdim: bool) -> Tensor:
    return native.sum(native.where(native.isnan(x), native.zeros_like(x), x), axis=axis, keepdims=keepdim)


def nansum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the sum of what is not NaN."""
    x = operand(x) if dtype is None else operand(x).astype(numpy_dtype(dtype).name)
    total = _nansum(x, tuple(axis) if isinstance(axis, list) else axis, bool(keepdim))
    return total if dtype is None else total.astype(numpy_dtype(dtype).name)


@composite(1, "nanmean", wide=True)
def _nanmean(x: Any, axis: Any, keepdim: bool) -> Tensor:
    there = native.logical_not(native.isnan(x))
    total = native.sum(native.where(there, x, native.zeros_like(x)), axis=axis, keepdims=keepdim)
    return total / native.sum(there.astype(x.dtype), axis=axis, keepdims=keepdim)


def nanmean(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the mean of what is not NaN."""
    return _nanmean(operand(x), tuple(axis) if isinstance(axis, list) else axis, bool(keepdim))


@composite(1, "count_nonzero")
def _count(x: Any, axis: Any, keepdim: bool) -> Tensor:
    return native.sum((x != 0).astype("int64"), axis=axis, keepdims=keepdim, dtype=np.int64)


def count_nonzero(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns how many elements are not zero."""
    return _count(operand(x), tuple(axis) if isinstance(axis, list) else axis, bool(keepdim))


def bincount(x: Any, weights: Any = None, minlength: int = 0, name: Any = None) -> Any:
    """Returns how often each integer from 0 occurs, or the sums of their weights; reads the values of x."""
    array = _looked(x)
    length = max(int(array.max()) + 1 if array.size else 0, int(minlength))
    if weights is None:
        return data(np.bincount(array, minlength=length).astype(np.int64))
    return _weighted(operand(weights), operand(x), length)


@composite(2, "bincount")
def _weighted(weights: Any, x: Any, length: int) -> Tensor:
    return segments.segment_sum(weights, x, length)


def histogram(
    input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0, weight: Any = None,
    density: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns how many elements lie in each of `bins` equal parts of a range, which is theirs by default."""
    array = _looked(input).reshape(-1)
    low, high = (array.min(), array.max()) if min == max == 0 and array.size else (min, max)
    weights = None if weight is None else _looked(weight).reshape(-1)
    found, _ = np.histogram(array, bins, (float(low), float(high)), density=density, weights=weights)
    plain = weights is None and not density
    return data(found.astype(np.int64 if plain else np.float32))


@composite(2, "searchsorted")
def _search(row: Any, values: Any, right: bool, dtype: Any) -> Tensor:
    return native.searchsorted(row, values, side="right" if right else "left").astype(dtype)


def searchsorted(
    sorted_sequence: Any, values: Any, out_int32: bool = False, right: bool = False, name: Any = None
) -> Any:
    """Returns where each value would be put into a sorted sequence, along the last axis of both."""
    rows, wanted = operand(sorted_sequence), operand(values)
    dtype = np.dtype(np.int32 if out_int32 else np.int64)
    if len(rows._spec.shape) == 1:
        return _search(rows, wanted, bool(right), dtype)
    lead, width = rows._spec.shape[:-1], wanted._spec.shape[-1]
    flat, wide = native.reshape(rows, (-1, rows._spec.shape[-1])), native.reshape(wanted, (-1, width))
    found = [_search(flat[i], wide[i], bool(right), dtype) for i in range(flat._spec.shape[0])]
    return native.reshape(native.stack(found), (*lead, width))


def bucketize(
    x: Any, sorted_sequence: Any, out_int32: bool = False, right: bool = False, name: Any = None
) -> Any:
    """Returns in which part between the borders of a sorted sequence each element is."""
    return searchsorted(sorted_sequence, x, out_int32, right)


def kthvalue(x: Any, k: int, axis: int = -1, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the k-th smallest elements along an axis, and their places."""
    x = operand(x)
    order = native.argsort(x, axis=axis)
    place = native.take(order, data(np.asarray([int(k) - 1])), axis=axis)
    value = native.take_along_axis(x, place, axis=axis)
    return (value, place) if keepdim else (native.squeeze(value, axis=axis), native.squeeze(place, axis=axis))


def tril_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """Returns the rows and columns of the lower triangle."""
    return data(np.stack(np.tril_indices(row, offset, col)).astype(numpy_dtype(dtype)))


def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """Returns the rows and columns of the upper triangle."""
    return data(np.stack(np.triu_indices(row, offset, col)).astype(numpy_dtype(dtype)))


def broadcast_shape(x_shape: Any, y_shape: Any) -> list[int]:
    """Returns the shape to which two shapes broadcast."""
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise InvalidValueError(
            f"broadcast_shape: {list(x_shape)} and {list(y_shape)} do not broadcast.", site=here()
        ) from None


def broadcast_tensors(input: Any, name: Any = None) -> Any:
    """Returns tensors in the shape to which they broadcast."""
    parts = [operand(one) for one in input]
    shape = np.broadcast_shapes(*(one._spec.shape for one in parts))
    return [native.broadcast_to(one, shape) for one in parts]
