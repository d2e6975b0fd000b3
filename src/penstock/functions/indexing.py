"""Indexing: integers, slices, ellipsis, new axes, integer tensors and masks, as primitives."""

from __future__ import annotations

import math
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import DTypeError, RangeError
from penstock.ops import gather, index, pointwise, shape
from penstock.state.variable import read
from penstock.trace.convert import as_tensor, is_array
from penstock.trace.lengths import Length, bounds, minimum
from penstock.trace.lengths import count as count_of
from penstock.trace.local import value_of
from penstock.trace.source_site import here
from penstock.trace.spec import Shape, spec_of
from penstock.trace.tensor import Cell, Tensor, concrete


def get_item(x: Any, key: Any, frame: FrameType) -> Tensor:
    """Returns `x[key]` by NumPy's rules. The values of a mask are looked at: they decide the shape."""
    lengths = x._spec.shape
    numbers = key if type(key) is tuple else (key,)
    for one in numbers:
        if type(one) is not int:
            break
    else:
        if 0 < len(numbers) <= min(len(lengths), 4):
            return _pick(x, numbers, lengths, frame)
    keys = per_axis(key, lengths, frame)
    if any(one is NEW for one in keys):
        lengths = _with_new(keys, lengths)
        x = shape.reshape.record((x,), {"shape": lengths}, frame)
        keys = [one for one in keys if one is not NEW]
    chosen = [i for i, one in enumerate(keys) if is_advanced(one)]
    if len(chosen) > 1 or (chosen and _scattered(keys)):
        # Beside others, an integer is an index of no axes.
        keys = [np.asarray(one) if isinstance(one, int) else one for one in keys]
    window: list[tuple[int, int, int]] = []
    flipped: list[int] = []
    kept: list[int] = []
    gathered: list[tuple[int, Any, int]] = []
    for one in keys:
        if one is None:
            kept.append(1)
            continue
        axis, length = len(window), lengths[len(window)]
        if isinstance(one, slice):
            start, stop, step = bounds(one, length)
            count = count_of(start, stop, step)
            if count == 0:
                start, stop, step = 0, 0, 1
            elif step < 0:
                flipped.append(axis)
                start, stop, step = start + (count - 1) * step, start + 1, -step
            window.append((start, minimum(stop, length), step))
            kept.append(count)
        elif isinstance(one, int | Length):
            if not -length <= one < length:
                raise _outside(one, axis, lengths)  # type: ignore[arg-type]
            window.append((one % length, one % length + 1, 1))
        else:
            window.append((0, length, 1))
            gathered.append((len(kept), one, axis))
            kept.append(length)
    result: Any = x
    moved = [axis for axis, (one, n) in enumerate(zip(window, lengths, strict=True)) if one != (0, n, 1)]
    if moved and len(moved) <= 4 and all(window[axis][2] == 1 for axis in moved):
        # The starts are operands, so that a loop counter among them is a number that varies.
        starts = [window[axis][0] for axis in moved]
        counts = tuple([window[axis][1] - window[axis][0] for axis in moved])
        result = shape.window.record((result, *starts), {"lengths": counts, "axes": tuple(moved)}, frame)
    elif moved:
        result = shape.slice_.record((result,), {"window": tuple(window)}, frame)
    if flipped:
        result = shape.flip.record((result,), {"axes": tuple(flipped)}, frame)
    # Rows that are gathered from a variable itself have a gradient of rows.
    if tuple(kept) != result._spec.shape or (result is x and not gathered):
        result = shape.reshape.record((result,), {"shape": tuple(kept)}, frame)
    if not gathered:
        return result  # type: ignore[no-any-return]
    return _gather(result, gathered, _apart(keys), lengths, frame)


def _pick(x: Any, numbers: tuple[int, ...], lengths: Shape, frame: FrameType) -> Tensor:
    """Does the same as `get_item`, given a number for each of the first axes: reads in loops must be fast."""
    starts: list[int] = []
    moved: list[int] = []
    for axis, one in enumerate(numbers):
        length = lengths[axis]
        if not -length <= one < length:
            raise _outside(one, axis, lengths)
        if length > 1:
            starts.append(one + length if one < 0 else one)
            moved.append(axis)
    if moved:
        x = shape.window.record((x, *starts), {"lengths": _ONES[len(moved)], "axes": tuple(moved)}, frame)
    return shape.reshape.record((x,), {"shape": lengths[len(numbers) :]}, frame)


_ONES = tuple([(1,) * count for count in range(5)])
NEW = object()
"""Marks, before an index that picks from it, an axis of length 1 that is added first."""


def per_axis(key: Any, lengths: Shape, frame: FrameType) -> list[Any]:
    """Returns one slice, int, or array or tensor of integers for each axis, and None for each new one."""
    keys = [_checked(one) for one in (key if isinstance(key, tuple) else (key,))]
    used = sum(_axes_of(one) for one in keys)
    if used > len(lengths):
        raise RangeError(
            f"{used} indices were given for a value of shape {lengths}, which has {len(lengths)} axes.",
            remedy=f"Give at most {len(lengths)}; None adds an axis.",
            site=here(),
        )
    places = [i for i, one in enumerate(keys) if one is Ellipsis] or [len(keys)]
    if len(places) > 1:
        raise RangeError(
            "An index can have only one ellipsis; two were given.", remedy="Keep one ...", site=here()
        )
    keys[places[0] : places[0] + 1] = [slice(None)] * (len(lengths) - used)
    final: list[Any] = []
    axis = 0
    for one in keys:
        if is_mask(one):
            final += _of_mask(one, axis, lengths, frame)
        else:
            final.append(one)
        axis += _axes_of(one)
    return final


def is_advanced(one: Any) -> bool:
    """Returns whether an index is an array or a tensor."""
    return isinstance(one, Tensor | Cell | np.ndarray)


def is_mask(one: Any) -> bool:
    """Returns whether an index is an array or a tensor of booleans."""
    # A dialect's tensors may have another notion of dtype.
    if not is_advanced(one):
        return False
    dtype: np.dtype[Any] = one.dtype if isinstance(one, np.ndarray) else one._spec.dtype
    return dtype.kind == "b"


def _axes_of(one: Any) -> int:
    """Returns how many axes an index picks from."""
    if one is None or one is Ellipsis:
        return 0
    if not is_mask(one):
        return 1
    return len(one.shape if isinstance(one, np.ndarray) else one._spec.shape)


def _checked(one: Any) -> Any:
    """Returns an index in one of the forms that are known."""
    if one is None or one is Ellipsis or isinstance(one, slice):
        return one
    if isinstance(one, int | np.integer) and not isinstance(one, bool):
        return int(one)
    if type(one) is Length:
        return one
    if isinstance(one, bool | np.bool_):
        return np.asarray(one)
    if isinstance(one, list | np.ndarray):
        empty = not np.size(one) and isinstance(one, list)
        one = np.asarray(as_tensor(one)._value)
        one = one.astype(np.int64) if empty else one
    if not is_advanced(one) and is_array(one):
        one = as_tensor(one)
    if not is_advanced(one):
        raise DTypeError(
            f"An index is {type(one).__name__} {one!r}.",
            why="An index is an integer, a slice, ..., None, or an array of integers or booleans.",
            site=here(),
        )
    own = spec_of(one) if isinstance(one, np.ndarray) else one._spec
    if own.dtype.kind not in "iub":
        raise DTypeError(
            f"An index is {own!r}.",
            why="An index is whole.",
            remedy="Convert it, for example with astype(indices, 'int64').",
            site=here(),
        )
    return one


def _of_mask(mask: Any, axis: int, lengths: Shape, frame: FrameType) -> list[Any]:
    """Returns the indices of the true elements of a mask, one array for each axis that it covers."""
    if isinstance(mask, Tensor | Cell):
        mask = np.asarray(value_of(read(mask) if isinstance(mask, Cell) else mask, "a mask", frame))
    if mask.ndim == 0:
        return [NEW, np.zeros((int(mask),), np.int64)]
    covered = lengths[axis : axis + mask.ndim]
    # The standard allows a mask to be empty along any axis: then it selects nothing.
    if any(own not in (0, length) for own, length in zip(mask.shape, covered, strict=True)):
        raise RangeError(
            f"A mask has shape {mask.shape}; the axes it covers have {covered} (shape {lengths}).",
            why="A mask says for each element, or slice, whether to select it.",
            site=here(),
        )
    return list(np.nonzero(mask))


def _with_new(keys: list[Any], lengths: Shape) -> Shape:
    """Returns the shape with an axis of length 1 for each `NEW`."""
    final: list[int] = []
    rest = iter(lengths)
    after_new = False
    for one in keys:
        if one is NEW:
            final.append(1)
        elif one is not None and not after_new:
            final.append(next(rest))
        after_new = one is NEW
    return tuple(final)


def _outside(one: int, axis: int, lengths: Shape) -> RangeError:
    length = lengths[axis]
    return RangeError(
        f"Index {one} is out of range for axis {axis}, of {length} entries (shape {lengths}).",
        remedy=f"Indices run from {-length} to {length - 1}." if length else "The axis is empty.",
        site=here(),
    )


def _scattered(keys: list[Any]) -> bool:
    """Returns whether the array and the integers among the indices are not adjacent."""
    chosen = [i for i, one in enumerate(keys) if is_advanced(one) or isinstance(one, int)]
    return len(chosen) != chosen[-1] - chosen[0] + 1


def _apart(keys: list[Any]) -> bool:
    """Returns whether another index is between the arrays among the indices."""
    chosen = [i for i, one in enumerate(keys) if is_advanced(one)]
    return len(chosen) != chosen[-1] - chosen[0] + 1


def _gather(
    x: Any, gathered: list[tuple[int, Any, int]], apart: bool, lengths: Shape, frame: FrameType
) -> Tensor:
    """Picks from axes of x (the first of each triple) by indices that broadcast; their axes come together.

    They take the place of the first of them, or come first if something was in between.
    """
    axes = [axis for axis, _, _ in gathered]
    if len(axes) == 1:
        ((axis, indices, origin),) = gathered
        if isinstance(indices, np.ndarray):
            indices = concrete(_host_position([(indices, lengths[origin], origin)], lengths))
        elif indices._spec.dtype.kind == "i":
            indices = gather.wrap_index.record(
                (indices,), {"length": x._spec.shape[axis], "axis": axis}, frame
            )
        return index.take.record((x, indices), {"axis": axis}, frame)
    place = 0 if apart else axes[0]
    if apart:
        rest = [axis for axis in range(len(x._spec.shape)) if axis not in axes]
        x = shape.transpose.record((x,), {"axes": (*axes, *rest)}, frame)
    own = x._spec.shape
    covered = own[place : place + len(axes)]
    merged = (*own[:place], math.prod(covered), *own[place + len(axes) :])
    x = shape.reshape.record((x,), {"shape": merged}, frame)
    triples = [(one, lengths[origin], origin) for _, one, origin in gathered]
    return index.take.record((x, position(triples, lengths, frame)), {"axis": place}, frame)


def position(triples: list[tuple[Any, int, int]], lengths: Shape, frame: FrameType) -> Tensor:
    """Returns the flat positions of elements selected by an index for each axis, in row-major order."""
    if all(isinstance(one, np.ndarray) for one, _, _ in triples):
        return concrete(_host_position(triples, lengths))
    total: Any = None
    for one, length, axis in triples:
        params = {"length": length, "axis": axis}
        one = gather.checked_index.record(
            (as_tensor(one) if isinstance(one, np.ndarray) else one,), params, frame
        )
        if total is not None:
            total = pointwise.multiply.record((total, length), {}, frame)
            one = pointwise.add.record((total, one), {}, frame)
        total = one
    return total  # type: ignore[no-any-return]


def _host_position(triples: list[tuple[Any, int, int]], lengths: Shape) -> Any:
    """Does the same as `position`, immediately, for indices that are data."""
    total: Any = 0
    for one, length, axis in triples:
        if one.size and (one.min() < -length or one.max() >= length):
            raise _outside(int(one[(one < -length) | (one >= length)].flat[0]), axis, lengths)
        one = one.astype(np.int64)
        total = total * length + np.where(one < 0, one + length, one)
    total = np.asarray(total, np.int64)
    total.flags.writeable = False
    return total
