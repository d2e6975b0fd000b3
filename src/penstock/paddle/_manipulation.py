"""Functions that arrange: shapes, axes, parts, order. Under Paddle's names."""

from __future__ import annotations

import builtins
import math
import sys
from typing import Any, NamedTuple

import numpy as np

from penstock.errors import PenstockError, RangeError
from penstock.functions import array as native
from penstock.ops import index, pointwise, reduce
from penstock.ops import shape as shapes
from penstock.paddle import _views as views
from penstock.paddle._convert import (
    HANDLES,
    axes_in,
    axes_of,
    converted,
    data,
    lengths_of,
    operand,
    packed,
    promoted,
    record,
    translated,
    values_of,
)  # fmt: skip
from penstock.paddle._declaring import in_functional, in_paddle, method
from penstock.paddle._dtype import dtype, numpy_dtype
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle._grad_mode import is_grad_enabled
from penstock.paddle._operators import item, masked
from penstock.paddle._tensor import as_result, flagged, saving
from penstock.trace.source_site import here

_frame = sys._getframe


def _axes(name: str, axis: Any, lengths: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return reduce.normalize_axes(name, axis, lengths)
    except PenstockError as error:
        raise translated(error) from None


@method
def view(x: Any, shape_or_dtype: Any, name: Any = None) -> Any:
    """Returns x in another shape; or, given a dtype, its bits read in that dtype, along the last axis.

    No gradient passes through another dtype: one that is wanted is refused.
    """
    if not isinstance(shape_or_dtype, str | dtype):
        found = reshape(x, shape_or_dtype)
        if found is x:
            # A view of the same shape is a tensor of its own, too.
            found = record(shapes.reshape, (x,), {"shape": x._spec.shape}, _frame(1))
        layout = views.layout_of(x)
        if layout is not None and not layout.can_be(found._spec.shape):
            raise InvalidValueError(
                "The Tensor can not be viewed, please call reshape.",
                origin=f"its {'one element has' if not layout.shape else 'elements have'} the strides "
                f"{list(layout.strides)}, in bytes",
                remedy="Call x.reshape(shape), which copies where it has to.",
                site=here(),
            )
        return found
    x, kind = operand(x), numpy_dtype(shape_or_dtype)
    if kind == x._spec.dtype:
        return reshape(x, x._spec.shape)
    if is_grad_enabled() and not x.stop_gradient:
        raise NotThereError(
            f"view: a tensor of {x.dtype.name} that requires a gradient is viewed as {kind.name}.",
            why="Reinterpreted bits have no derivative.",
            remedy="Pass x.detach().view(...), or convert the numbers: x.astype(...).",
            site=here(),
        )
    array = np.ascontiguousarray(np.asarray(x.detach()))
    if array.shape and array.shape[-1] * array.itemsize % kind.itemsize == 0:
        return views.show(data(array.view(kind).copy()), x, lambda layout: layout.reinterpreted(kind))
    raise InvalidValueError(
        f"view: the last axis of {list(array.shape)} has {array.shape[-1] if array.shape else 1} elements of "
        f"{array.itemsize} bytes, which do not make up elements of {kind.itemsize} bytes ({kind.name}).",
        site=here(),
    )


@method("reshape_")
def reshape(x: Any, shape: Any, name: Any = None) -> Any:
    """Returns x in another shape of as many elements; one length may be -1, and 0 keeps a length.

    A list that is the shape of x gives x itself.
    """
    frame = _frame(1)
    x = operand(x)
    own, size = x._spec.shape, x._spec.size
    lengths = list(lengths_of(shape))
    if tuple(lengths) == own and isinstance(shape, list | tuple) and isinstance(x, HANDLES):
        return x
    lengths = [own[i] if n == 0 and i < len(own) and size else n for i, n in enumerate(lengths)]
    rest = math.prod(n for n in lengths if n != -1)
    fits = lengths.count(-1) <= 1 and (size % rest == 0 if rest and -1 in lengths else rest == size)
    if not fits:
        raise InvalidValueError(
            "The 'shape' in ReshapeOp is invalid. The input tensor X'size must be equal to the capacity of "
            f"'shape'. But received X's shape = {list(own)}, X's size = {size}, 'shape' is {lengths}, the "
            f"capacity of 'shape' is {rest}.",
            remedy=f"The lengths must multiply to {size} elements, with at most one -1.",
            site=here(),
        )
    if -1 in lengths:
        lengths[lengths.index(-1)] = size // rest if rest else 0
    found = record(shapes.reshape, (x,), {"shape": tuple(lengths)}, frame)
    # A scalar is copied.
    return found if own else views.counted(as_result(found, frame), x)


@method("flatten_")
def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: Any = None) -> Any:
    """Returns x with the axes from `start_axis` to `stop_axis` made one."""
    if not isinstance(x, HANDLES):
        raise InvalidValueError("The input x should be a Tensor", site=here())
    own = x._spec.shape
    rank = builtins.max(len(own), 1)
    for word, axis in (("start", start_axis), ("stop", stop_axis)):
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise InvalidValueError(
                f"The {word}_axis should be a int, and in range [-rank(x), rank(x)), but it is {axis!r} and "
                f"the rank {len(own)}.",
                site=here(),
            )
    start, stop = start_axis % rank, stop_axis % rank
    if start > stop:
        raise InvalidValueError(
            f"The stop_axis should be larger than stat_axis, but they are {stop_axis} and {start_axis}.",
            site=here(),
        )
    lengths = (*own[:start], math.prod(own[start : stop + 1]), *own[stop + 1 :])
    found = record(shapes.reshape, (x,), {"shape": lengths}, _frame(1))
    return found if own else views.counted(as_result(found, _frame(1)), x)


@method("squeeze_")
def squeeze(x: Any, axis: Any = None, name: Any = None) -> Any:
    """Returns x without axes of length 1: all of them, or those named that have it."""
    x = operand(x)
    own = x._spec.shape
    axes = range(len(own)) if axis is None else _axes("squeeze", axes_in(axis, x), own)
    lengths = tuple(n for i, n in enumerate(own) if n != 1 or i not in axes)
    return record(shapes.reshape, (x,), {"shape": lengths}, _frame(1))


@method("unsqueeze_")
def unsqueeze(x: Any, axis: Any, name: Any = None) -> Any:
    """Returns x with new axes of length 1 at these positions."""
    x = operand(x)
    lengths = list(x._spec.shape)
    for one in [axis] if isinstance(axis, int) else lengths_of(axis):
        rank = len(lengths) + 1
        if not -rank <= one < rank:
            raise InvalidValueError(f"unsqueeze: axis {one} is outside -{rank} .. {rank - 1}.", site=here())
        lengths.insert(one % rank, 1)
    return record(shapes.reshape, (x,), {"shape": tuple(lengths)}, _frame(1))


@method("transpose_")
def transpose(
    x: Any, perm: Any = None, name: Any = None, *, dim0: int | None = None, dim1: int | None = None
) -> Any:
    """Returns x with its axes in another order; or with two exchanged, x.transpose(0, 1).

    A shorter `perm` orders the first axes, and the others stay in place.
    """
    x = operand(x)
    rank = len(x._spec.shape)
    if dim0 is not None or isinstance(perm, int):
        pair = (perm if dim0 is None else dim0, name if dim1 is None else dim1)
        perm = list(range(rank))
        for one in pair:
            if not isinstance(one, int) or not -rank <= one < rank:
                raise InvalidValueError(
                    f"transpose() exchanges the axes {pair[0]} and {pair[1]} of {rank}.",
                    remedy="Give it two axes, x.transpose(0, 1), or all in their order, x.transpose([1, 0]).",
                    site=here(),
                )
        perm[pair[0]], perm[pair[1]] = perm[pair[1]], perm[pair[0]]
    if len(perm) > rank:
        raise InvalidValueError(
            "The input tensor's dimension should be equal to or greater than the axis's size. But received "
            f"input tensor's dimension is {rank}, axis's size is {len(perm)}",
            remedy="Name each axis once: x.transpose([1, 0]) for a matrix.",
            site=here(),
        )
    axes = tuple(int(i) % rank for i in perm)
    # Fewer axes than there are exchange the first ones, and the others stay.
    axes += tuple(range(len(axes), rank))
    return record(shapes.transpose, (x,), {"axes": axes}, _frame(1))


@method
def moveaxis(x: Any, source: Any, destination: Any, name: Any = None) -> Any:
    """Returns x with axes moved to other positions."""
    rank = len(x._spec.shape)
    sources = [source] if isinstance(source, int) else list(source)
    targets = [destination] if isinstance(destination, int) else list(destination)
    kept = [i for i in range(rank) if i not in [s % rank for s in sources]]
    for target, origin in sorted(zip([t % rank for t in targets], [s % rank for s in sources])):
        kept.insert(target, origin)
    return record(shapes.transpose, (x,), {"axes": tuple(kept)}, _frame(1))


@method("swapdims")
def swapaxes(x: Any, axis0: int, axis1: int, name: Any = None) -> Any:
    """Returns x with two axes exchanged."""
    order = list(range(len(x._spec.shape)))
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return record(shapes.transpose, (x,), {"axes": tuple(order)}, _frame(1))


@method("broadcast_to")
def expand(x: Any, shape: Any, name: Any = None) -> Any:
    """Returns x repeated along new axes and along axes of length 1; -1 keeps a length."""
    x = operand(x)
    own = x._spec.shape
    lengths = lengths_of(shape)
    extra = len(lengths) - len(own)
    lengths = tuple(own[i - extra] if n == -1 and i >= extra else n for i, n in enumerate(lengths))
    return record(shapes.broadcast_to, (x,), {"shape": lengths}, _frame(1))


@method
def expand_as(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x repeated to y's shape."""
    return record(shapes.broadcast_to, (x,), {"shape": y._spec.shape}, _frame(1))


@method
def tile(x: Any, repeat_times: Any, name: Any = None) -> Any:
    """Returns x repeated along each axis as often as given."""
    frame = _frame(1)
    x = operand(x)
    times = lengths_of(repeat_times)
    own = (1,) * (len(times) - len(x._spec.shape)) + x._spec.shape
    times = (1,) * (len(own) - len(times)) + times
    apart = tuple(n for length in own for n in (1, length))
    wide = tuple(n for pair in zip(times, own) for n in pair)
    x = record(shapes.reshape, (x,), {"shape": apart}, frame)
    x = record(shapes.broadcast_to, (x,), {"shape": wide}, frame)
    return record(shapes.reshape, (x,), {"shape": tuple(a * b for a, b in zip(times, own))}, frame)


def _agreeing(values: Any, frame: Any) -> list[Any]:
    parts = [operand(one) for one in values]
    if not parts:
        raise InvalidValueError("There are no tensors to join.", site=here())
    dtype = promoted("concat", [one._spec for one in parts], [])
    return [converted(one, dtype, frame) for one in parts]


@method("cat", "concatenate")
def concat(x: Any, axis: Any = 0, name: Any = None) -> Any:
    """Returns tensors joined along an axis."""
    frame = _frame(1)
    parts = _agreeing(x, frame)
    (one,) = _axes("concat", int(axis), parts[0]._spec.shape)
    return record(shapes.concat, parts, {"axis": one}, frame)


@method
def stack(x: Any, axis: int = 0, name: Any = None) -> Any:
    """Returns tensors of one shape joined along a new axis."""
    frame = _frame(1)
    return packed(_agreeing(x, frame), frame, axis)


def _one_history(x: Any, parts: int, frame: Any) -> Any:
    """Returns x for a function with several results: a backward pass of one frees the history of all."""
    if parts < 2 or not x._spec.shape or x.stop_gradient:
        return x
    return shapes.reshape.record((x,), {"shape": x._spec.shape}, frame)


@method
def split(x: Any, num_or_sections: Any, axis: Any = 0, name: Any = None) -> list[Any]:
    """Returns the parts of x along an axis: a number of equal parts, or of these lengths (one may be -1)."""
    frame = _frame(1)
    (one,) = _axes("split", int(axis), x._spec.shape)
    length = x._spec.shape[one]
    if isinstance(num_or_sections, int):
        if length % num_or_sections:
            raise InvalidValueError(
                f"The input's size along the split dimension must be evenly divisible by the attribute "
                f"num, but {length} is not divisible by {num_or_sections}.",
                site=here(),
            )
        sections = [length // num_or_sections] * num_or_sections
    else:
        sections = [int(n) for n in num_or_sections]
        if -1 in sections:
            sections[sections.index(-1)] = length - builtins.sum(n for n in sections if n != -1)
        if builtins.sum(sections) != length:
            raise InvalidValueError(
                "Sum of Attr(num_or_sections) must be equal to the input's size along the split dimension: "
                f"{sections} is not {length} together.",
                site=here(),
            )
    found, start, x = [], 0, _one_history(x, len(sections), frame)
    for n in sections:
        # Unlike the results of indexing, the parts share no memory with x.
        found.append(as_result(item(x, (slice(None),) * one + (slice(start, start + n),), frame), frame))
        start += n
    return found


@method
def chunk(x: Any, chunks: int, axis: Any = 0, name: Any = None) -> list[Any]:
    """Returns x split into the given number of parts of equal length along an axis."""
    return split(x, chunks, axis)


@method
def unbind(input: Any, axis: int = 0) -> list[Any]:
    """Returns the slices of x along an axis."""
    frame = _frame(1)
    (one,) = _axes("unbind", axis, input._spec.shape)
    input = _one_history(input, input._spec.shape[one], frame)
    return [item(input, (slice(None),) * one + (i,), frame) for i in range(input._spec.shape[one])]


@method
def unstack(x: Any, axis: int = 0, num: int | None = None) -> list[Any]:
    """Returns the slices of x along an axis, of which there are `num`."""
    (one,) = _axes("unstack", axis, x._spec.shape)
    if num is not None and num != x._spec.shape[one]:
        raise InvalidValueError(
            f"unstack: num is {num}, and axis {axis} has {x._spec.shape[one]} entries.", site=here()
        )
    frame = _frame(1)
    return [as_result(part, frame) for part in unbind(x, axis)]


@method("reverse")
def flip(x: Any, axis: Any, name: Any = None) -> Any:
    """Returns x with the order of its elements reversed along axes."""
    frame = _frame(1)
    # Unlike x[::-1], it shares no memory with x.
    return as_result(
        record(shapes.flip, (x,), {"axes": _axes("flip", axes_of(axis), x._spec.shape)}, frame), frame
    )


@method
def roll(x: Any, shifts: Any, axis: Any = None, name: Any = None) -> Any:
    """Returns x with its elements moved on along an axis; those that fall off come in again."""
    frame = _frame(1)
    own = x._spec.shape
    if axis is None:
        flat = record(shapes.reshape, (x,), {"shape": (x._spec.size,)}, frame)
        return record(shapes.reshape, (roll(flat, shifts, 0),), {"shape": own}, frame)
    pairs = zip([shifts], [axis]) if isinstance(axis, int) else zip(shifts, axis)
    for shift, one in pairs:
        _axes("roll", one, own)
        places = np.roll(np.arange(own[one]), int(shift))
        x = record(index.take, (x, data(places)), {"axis": int(one) % len(own)}, frame)
    return x


@method
def gather(x: Any, index: Any, axis: Any = 0, name: Any = None, *, dim: int | None = None) -> Any:
    """Returns the slices of x at these positions along an axis; an index [n, 1] counts as one of n positions.

    With the axis before the index, gather(x, 1, index), or as `dim`, these are the elements that
    `take_along_axis` returns, as in other frameworks.
    """
    if isinstance(index, int):
        index, dim = axis, index
    if dim is not None:
        return take_along_axis(x, index, int(dim), False)
    index = operand(index)
    if index._spec.ndim == 2:
        if index._spec.shape[1] > 1:
            raise InvalidValueError(
                f"The last dim of index should be 0 or 1 when it is 2D, but we get {index._spec.shape[1]}.",
                remedy="Use gather_nd, or index with brackets: x[index].",
                site=here(),
            )
        index = record(shapes.reshape, (index,), {"shape": (index._spec.size,)}, _frame(1))
    return _taken(x, index, 0 if axis is None else int(axis), _frame(1))


@method
def index_select(x: Any, index: Any, axis: int = 0, name: Any = None) -> Any:
    """Returns the slices of x at these positions along an axis; `index` has one axis."""
    index = operand(index)
    if index._spec.ndim != 1 or index._spec.dtype.kind not in "iu":
        raise InvalidValueError(
            "index_select takes an index of one axis in int32 or int64, but it is "
            f"{index._spec.dtype.name}{list(index._spec.shape)}.",
            site=here(),
        )
    return _taken(x, index, int(axis), _frame(1))


def _taken(x: Any, places: Any, axis: int, frame: Any) -> Any:
    (one,) = _axes("gather", axis, x._spec.shape)
    return record(index.take, (x, operand(places)), {"axis": one}, frame)


@method("take_along_dim")
def take_along_axis(arr: Any, indices: Any, axis: int, broadcast: bool = True) -> Any:
    """Returns the elements that `indices` names along an axis, each for its own position."""
    frame = _frame(1)
    arr, indices = operand(arr), operand(indices)
    rank = len(arr._spec.shape)
    axis = axis % rank
    if not broadcast:
        for i, (own, other) in enumerate(zip(arr._spec.shape, indices._spec.shape, strict=True)):
            if i != axis and other < own:
                arr = item(arr, (slice(None),) * i + (slice(0, other),), frame)
    order = (*(i for i in range(rank) if i != axis), axis)
    back = tuple(int(i) for i in np.argsort(order))
    moved = record(shapes.transpose, (arr,), {"axes": order}, frame)
    places = record(shapes.transpose, (operand(indices),), {"axes": order}, frame)
    length = moved._spec.shape[-1]
    rows = math.prod(moved._spec.shape[:-1])
    shape = (*moved._spec.shape[:-1], places._spec.shape[-1])
    places = record(shapes.broadcast_to, (places,), {"shape": shape}, frame)
    starts = data((np.arange(rows) * length).reshape((*moved._spec.shape[:-1], 1)).astype(places._spec.dtype))
    flat = record(shapes.reshape, (moved,), {"shape": (rows * length,)}, frame)
    found = record(index.take, (flat, places + starts), {"axis": 0}, frame)
    return record(shapes.transpose, (found,), {"axes": back}, frame)


@method
def gather_nd(x: Any, index: Any, name: Any = None) -> Any:
    """Returns the slices of x at positions whose last axis names a place in x's first axes."""
    frame = _frame(1)
    index = operand(index)
    depth = index._spec.shape[-1]
    own = x._spec.shape
    strides = np.asarray([math.prod(own[i + 1 : depth]) for i in range(depth)], index._spec.dtype)
    flat = record(shapes.reshape, (x,), {"shape": (math.prod(own[:depth]), *own[depth:])}, frame)
    axes = (len(index._spec.shape) - 1,)
    places = record(reduce.sum, (index * data(strides),), {"axes": axes, "keepdims": False}, frame)
    return _taken(flat, places, 0, frame)


@method
def masked_select(x: Any, mask: Any, name: Any = None) -> Any:
    """Returns the elements of x at which a mask is true, as a vector; both are broadcast. Reads the mask."""
    x, mask, frame = operand(x), operand(mask), _frame(1)
    if mask._spec.dtype != bool:
        raise InvalidValueError(
            f"masked_select takes a mask of bool; got {mask._spec.dtype.name}. Compare it with a number.",
            site=here(),
        )
    own, other = x._spec.shape, mask._spec.shape
    if own != other:
        try:
            lengths = np.broadcast_shapes(own, other)
        except ValueError:
            raise RangeError(
                f"masked_select takes an x and a mask that broadcast; got {list(own)} and {list(other)}.",
                site=here(),
            ) from None
        if own != lengths:
            x = record(shapes.broadcast_to, (x,), {"shape": lengths}, frame)
        mask = np.broadcast_to(np.asarray(mask), lengths)
    return masked(x, mask, frame)


@method("masked_fill_")
def masked_fill(x: Any, mask: Any, value: Any, name: Any = None) -> Any:
    """Returns x with a number where the mask is true; of whole numbers what is not whole is cut off."""
    if isinstance(value, float) and operand(x)._spec.dtype.kind in "iu":
        value = int(value)
    return record(pointwise.where, (mask, value, x), {}, _frame(1))


@method
def nonzero(x: Any, as_tuple: bool = False) -> Any:
    """Returns the places at which x is not zero. Reads the values of x."""
    found = np.nonzero(np.asarray(x))
    if as_tuple:
        return tuple(data(one.astype(np.int64)) for one in found)
    return data(np.stack(found, -1).astype(np.int64))


def _ordered(x: Any, axis: int, descending: bool, stable: bool) -> np.ndarray[Any, Any]:
    from penstock.paddle._introsort import SORT, STABLE, ordered

    return ordered(np.asarray(x), axis, descending, STABLE if stable else SORT)


@method
def argsort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False, name: Any = None) -> Any:
    """Returns the positions that would sort x along an axis. Reads the values of x.

    Equal elements keep their order if `stable` is asked for; else they are in that of C++'s std::sort, as
    Paddle's are on a CPU.
    """
    return flagged(data(_ordered(x, axis, descending, stable)), x)


@method
def sort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False, name: Any = None) -> Any:
    """Returns x sorted along an axis; gradients go back to the original positions. Reads the values of x.

    `stable` says whose gradient is whose among equal elements, as in `argsort`.
    """
    order = _ordered(x, axis, descending, stable)
    if not order.ndim:
        return record(pointwise.identity, (x,), {}, _frame(1))
    return take_along_axis(x, data(order), axis)


class Top(NamedTuple):
    """The largest elements and their positions; it has Paddle's name where it is printed."""

    values: Any
    indices: Any


Top.__name__ = Top.__qualname__ = "TopKRetType"


@method
def topk(
    x: Any, k: Any, axis: int | None = None, largest: bool = True, sorted: bool = True, name: Any = None
) -> Any:
    """Returns the k largest elements along an axis, and their positions. Reads the values of x.

    Which of equal elements are among them is that of C++'s std::nth_element or, of many elements,
    std::partial_sort, as in Paddle on a CPU; so is the order with `sorted=False`.
    """
    from penstock.paddle._introsort import LOOSE, TOP, ordered

    axis, k = -1 if axis is None else axis, int(k)
    order = ordered(np.asarray(x), axis, largest, TOP if sorted else LOOSE, k)
    places = data(np.take(order, np.arange(k), axis))
    return Top(saving(take_along_axis(x, places, axis), _frame(1), x), flagged(places, x))


@method
def unique(
    x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, dtype: Any = "int64", sorted: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the distinct elements in order, or the distinct slices along an axis. Reads the values of x.

    Also, where asked for, in `dtype`: where each is first found, which of them each element or slice is, and
    how often each is there. They are always in order: `sorted=False` allows any.
    """
    array = np.asarray(x)
    if axis is not None:
        _axes("unique", axis, array.shape)
    wanted = return_index, return_inverse, return_counts
    distinct: Any = np.unique
    found: Any = distinct(array, *wanted, axis=axis)
    if not builtins.any(wanted):
        return data(found)
    values, *others = found
    return data(values), *(data(one.reshape(-1).astype(numpy_dtype(dtype))) for one in others)


@method
def unique_consecutive(
    x: Any, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None,
    dtype: Any = "int64", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x without elements, or slices along an axis, that equal the one before. Reads its values."""
    array: Any = np.asarray(x)
    array = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    count = len(array)
    same = (array[1:] == array[:-1]).reshape(builtins.max(count - 1, 0), -1).all(-1)
    first = np.flatnonzero(np.concatenate([np.ones(builtins.min(count, 1), bool), ~same]))
    values = array[first] if axis is None else np.moveaxis(array[first], 0, axis)
    others = []
    if return_inverse:
        others.append(np.cumsum(np.isin(np.arange(count), first)) - 1)
    if return_counts:
        others.append(np.diff([*first, count]))
    made = [data(one.astype(numpy_dtype(dtype))) for one in others]
    return (data(values), *made) if made else data(values)


def _triangle(x: Any, lower: bool, diagonal: int, frame: Any) -> Any:
    rows, columns = x._spec.shape[-2:]
    mask = np.tri(rows, columns, diagonal if lower else diagonal - 1, dtype=np.bool_)
    zero = data(np.zeros((), x._spec.dtype))
    return record(pointwise.where, (data(mask if lower else ~mask), x, zero), {}, frame)


@method("tril_")
def tril(x: Any, diagonal: int = 0, name: Any = None) -> Any:
    """Returns x with zeros above a diagonal."""
    return _triangle(x, True, diagonal, _frame(1))


@method("triu_")
def triu(x: Any, diagonal: int = 0, name: Any = None) -> Any:
    """Returns x with zeros below a diagonal."""
    return _triangle(x, False, diagonal, _frame(1))


@in_paddle
def shape(input: Any) -> Any:
    """Returns the shape as a tensor."""
    return data(np.asarray(operand(input)._spec.shape, np.int64))


@in_functional
def one_hot(x: Any, num_classes: int = -1, name: Any = None) -> Any:
    """Returns, for each index, a row of zeros with a one there, of `num_classes`; -1: up to the largest."""
    x = operand(x)
    if int(num_classes) == -1:
        known = np.asarray(x.numpy())
        num_classes = int(known.max()) + 1 if known.size else 0
    params = {"length": int(num_classes), "dtype": np.dtype(np.float32)}
    return record(index.one_hot, (x,), params, _frame(1))


@in_paddle
def meshgrid(*args: Any, indexing: str = "ij", name: Any = None) -> Any:
    """Returns vectors spread over a common grid, each along its own axis.

    With `indexing="xy"` the first two axes are exchanged.
    """
    if indexing not in ("ij", "xy"):
        raise InvalidValueError(
            f"meshgrid: indexing must be 'ij' or 'xy', but received {indexing!r}", site=here()
        )
    parts = [operand(one) for one in (args[0] if isinstance(args[0], list | tuple) else args)]
    if indexing == "xy" and len(parts) > 1:
        first, second, *others = meshgrid(parts[1], parts[0], *parts[2:])
        return saving([second, first, *others], _frame(1), *parts)
    lengths = tuple(one._spec.size for one in parts)
    found = []
    for i, one in enumerate(parts):
        own = tuple(n if j == i else 1 for j, n in enumerate(lengths))
        own_shaped = record(shapes.reshape, (one,), {"shape": own}, _frame(1))
        found.append(record(shapes.broadcast_to, (own_shaped,), {"shape": lengths}, _frame(1)))
    return saving(found, _frame(1), *parts)


@method
def is_empty(x: Any, name: Any = None) -> Any:
    """Returns whether there are no elements."""
    return data(np.asarray(operand(x)._spec.size == 0))


@in_paddle
def tolist(x: Any) -> Any:
    """Returns the values as Python lists."""
    return values_of(x).tolist()


@method
def view_as(x: Any, other: Any, name: Any = None) -> Any:
    """Returns x in the shape of another tensor."""
    return view(operand(x), list(operand(other)._spec.shape))


@method
def broadcast_shape(x_shape: Any, y_shape: Any) -> list[int]:
    """Returns the shape to which two shapes broadcast."""
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise InvalidValueError(
            f"broadcast_shape: {list(x_shape)} and {list(y_shape)} do not broadcast.", site=here()
        ) from None


@method
def broadcast_tensors(input: Any, name: Any = None) -> Any:
    """Returns tensors in the shape to which they broadcast."""
    parts = [operand(one) for one in input]
    shape = np.broadcast_shapes(*(one._spec.shape for one in parts))
    return [native.broadcast_to(one, shape) for one in parts]


__all__ = ["HANDLES", "numpy_dtype"]
