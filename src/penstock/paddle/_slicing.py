"""Parts of tensors: slices, windows, elements by their places, and turned or repeated ones."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle import _views as views
from penstock.paddle._convert import HANDLES, data, lengths_of, operand, values_of
from penstock.paddle._declaring import in_paddle, method
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import as_result, saving
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@composite(2, "index_sample")
def _sample(x: Any, index: Any) -> Tensor:
    return native.take_along_axis(x, index, axis=1)


@method
def index_sample(x: Any, index: Any) -> Any:
    """Returns, of each row of x, the elements at the places in the same row of `index`."""
    return _sample(operand(x), operand(index))


@method
def repeat_interleave(
    x: Any, repeats: Any, axis: Any = None, name: Any = None, *, output_size: int | None = None
) -> Any:
    """Returns each element, or each slice along an axis, so often in a row.

    Raises ValueError if `output_size` is not the length that follows from the repeats.
    """
    x = operand(x)
    counts = np.asarray(repeats) if isinstance(repeats, int) else values_of(repeats)
    if axis is None:
        x, axis = native.reshape(x, (-1,)), 0
    length = x._spec.shape[axis]
    order = np.repeat(np.arange(length), np.broadcast_to(counts.reshape(-1), (length,)))
    if output_size is not None and int(output_size) != len(order):
        raise InvalidValueError(
            f"repeat_interleave() was given output_size={output_size}, and the result has {len(order)}.",
            why="Paddle leaves the rest of a longer result without a value.",
            remedy="Leave output_size out.",
            site=here(),
        )
    return saving(native.take(x, data(order), axis=axis), _frame(1), x)


@method
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


@method
def rot90(x: Any, k: int = 1, axes: Any = (0, 1), name: Any = None) -> Any:
    """Returns x rotated by `k` right angles in the plane of two axes."""
    x = operand(x)
    rank = len(x._spec.shape)
    if k % 4 == 0:
        return x
    return _rot90(x, int(k), tuple(int(one) % rank for one in axes))


@method
def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """Returns a part of x: from `starts` to `ends` along `axes`."""
    return strided_slice(input, axes, starts, ends, [1] * len(axes))


@method
def strided_slice(x: Any, axes: Any, starts: Any, ends: Any, strides: Any, name: Any = None) -> Any:
    """Returns a part of x: from `starts` to `ends` in `strides` along `axes`."""
    x = operand(x)

    def number(one: Any) -> int:
        return int(one) if isinstance(one, int) else int(values_of(one).item())

    key = [_ALL] * len(x._spec.shape)
    for axis, start, end, step in zip(axes, starts, ends, strides, strict=True):
        key[axis] = _SLICE(number(start), number(end), number(step))  # type: ignore[arg-type]
    return x[tuple(key)]


_SLICE = type(np.s_[:])
_ALL = np.s_[:]


@in_paddle
def crop(x: Any, shape: Any = None, offsets: Any = None, name: Any = None) -> Any:
    """Returns a part of x of this shape, from these offsets on; -1 takes the rest of an axis."""
    x = operand(x)
    own = x._spec.shape
    begin = [0] * len(own) if offsets is None else [int(one) for one in offsets]
    lengths = list(own) if shape is None else [int(one) for one in shape]
    key = [
        _SLICE(first, n if count == -1 else first + count)
        for first, n, count in zip(begin, own, lengths, strict=True)
    ]
    # Unlike what indexing gives, it shares no memory with x.
    return saving(as_result(x[tuple(key)], _frame(1)), _frame(1), x)


@method
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """Returns `length` elements of an axis from `start` on."""
    place = int(np.asarray(start)) if isinstance(start, HANDLES) else int(start)
    x = operand(input)
    place = place + x._spec.shape[dim] if place < 0 else place
    return slice(x, [dim], [place], [place + length])


def _picked(x: Any, places: np.ndarray[Any, Any], axis: int) -> Any:
    """Returns the elements at places, several of which may be the same.

    Paddle writes the gradient of such a view into the memory of the elements, one over the other: the last
    place alone gives an element its gradient.
    """
    found = _manipulation.gather(x, data(places), axis)
    if x.stop_gradient or len(set(places.tolist())) == len(places):
        return found
    last = np.zeros(len(places), np.bool_)
    last[list({int(place): i for i, place in enumerate(places)}.values())] = True
    mask = data(last.reshape([-1, *[1] * (x._spec.ndim - axis - 1)]))
    return _math.where(mask, found, found.detach())


@method
def unfold(x: Any, axis: int, size: int, step: int, name: Any = None) -> Any:
    """Returns the parts of an axis of this size, each `step` after the one before, in a new last axis.

    Where parts overlap, the last one alone gives an element its gradient, as in Paddle.
    """
    x = operand(x)
    axis = axis % x._spec.ndim
    length = x._spec.shape[axis]
    starts = np.arange((length - size) // step + 1) * step
    places = (starts[:, None] + np.arange(size)).reshape(-1)
    lengths = list(x._spec.shape)
    found = _picked(x, places, axis)
    found = found.reshape([*lengths[:axis], len(starts), size, *lengths[axis + 1 :]])
    found = as_result(_manipulation.moveaxis(found, axis + 1, -1), _frame(1))
    saving(found, _frame(1), x)
    return views.show(found, x, lambda layout: layout.unfolded(axis, size, step))


@method
def as_strided(x: Any, shape: Any, stride: Any, offset: int = 0, name: Any = None) -> Any:
    """Returns elements of x, laid flat, at steps along each axis; the result shares memory with x.

    Steps count elements, and `offset` counts bytes, as in Paddle.
    Of several that are the same element of x, the last one alone gives it its gradient, as in Paddle.
    """
    x = operand(x)
    lengths = lengths_of(shape)
    size = x._spec.dtype.itemsize
    if offset % size:
        raise InvalidValueError(
            f"as_strided: offset counts bytes, and {offset} is within an element of {x._spec.dtype.name}: "
            f"each has {size}.",
            remedy=f"Say offset={offset * size} to begin {offset} elements later.",
            site=here(),
        )
    offset //= size
    layout = views.layout_of(x)
    if layout is not None:
        # The steps and the offset are those of the memory, also between the elements of x.
        x = views.whole(x)
    places = np.full(lengths, offset, np.int64)
    for axis, step in enumerate(stride):
        places += (np.arange(lengths[axis]) * step).reshape([-1, *[1] * (len(lengths) - axis - 1)])
    flat = _picked(x.reshape([-1]), places.reshape(-1), 0)
    found = as_result(flat.reshape(list(lengths)), _frame(1))
    saving(found, _frame(1), x, result=True)
    return views.show(found, x, lambda layout: layout.strided(lengths, stride, offset))


@method
def shard_index(input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """Returns places within one of `nshards` equal parts of a table, and `ignore_value` for all others."""
    x = operand(input)
    size = (index_num + nshards - 1) // nshards
    own = _math.equal(_math.floor_divide(x, size), shard_id)
    return _math.where(own, _math.remainder(x, size), _creation.full_like(x, ignore_value))
