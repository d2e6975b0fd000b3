"""Basic indexing: integers, slices, ellipsis, new axes, and one integer tensor, as primitives."""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import DTypeError, PenstockError, RangeError
from penstock.ops import index, pointwise, shape
from penstock.trace.recorder import as_tensor
from penstock.trace.site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Cell, Tensor


def get_item(x: Any, key: Any, frame: FrameType) -> Tensor:
    """Returns `x[key]` by NumPy's rules of basic indexing; one integer tensor selects along its axis."""
    window: list[tuple[int, int, int]] = []
    flipped: list[int] = []
    kept: list[int] = []
    gather: tuple[int, Any] | None = None
    for one in _per_axis(key, x.shape):
        if one is None:
            kept.append(1)
            continue
        axis, length = len(window), x.shape[len(window)]
        if isinstance(one, slice):
            start, stop, step = one.indices(length)
            count = len(range(start, stop, step))
            if count == 0:
                start, stop, step = 0, 0, 1
            elif step < 0:
                flipped.append(axis)
                start, stop, step = start + (count - 1) * step, start + 1, -step
            window.append((start, min(stop, length), step))
            kept.append(count)
        elif isinstance(one, int):
            if not -length <= one < length:
                raise RangeError(
                    f"Index {one} is out of range for axis {axis}, of {length} entries (shape {x.shape}).",
                    remedy=f"Indices run from {-length} to {length - 1}." if length else "The axis is empty.",
                    site=here(),
                )
            window.append((one % length, one % length + 1, 1))
        else:
            window.append((0, length, 1))
            gather = len(kept), one
            kept.append(length)
    result: Any = x
    moved = [axis for axis, (one, n) in enumerate(zip(window, x.shape, strict=True)) if one != (0, n, 1)]
    if moved and len(moved) <= 4 and all(window[axis][2] == 1 for axis in moved):
        # The starts are operands, so that a loop counter among them is a number that varies.
        starts = [window[axis][0] for axis in moved]
        lengths = tuple([window[axis][1] - window[axis][0] for axis in moved])
        result = shape.window.record((result, *starts), {"lengths": lengths, "axes": tuple(moved)}, frame)
    elif moved:
        result = shape.slice_.record((result,), {"window": tuple(window)}, frame)
    if flipped:
        result = shape.flip.record((result,), {"axes": tuple(flipped)}, frame)
    if tuple(kept) != result.shape or result is x:
        result = shape.reshape.record((result,), {"shape": tuple(kept)}, frame)
    if gather is None:
        return result  # type: ignore[no-any-return]
    axis, indices = gather
    before_start = pointwise.less.record((indices, 0), {}, frame)
    indices = pointwise.where.record((before_start, indices + kept[axis], indices), {}, frame)
    return index.take.record((result, indices), {"axis": axis}, frame)


def _per_axis(key: Any, lengths: Shape) -> list[Any]:
    """Returns one slice, int or integer tensor for each axis, and None for each new one; refuses the rest."""
    keys = list(key) if isinstance(key, tuple) else [key]
    used = sum(1 for one in keys if one is not None and one is not Ellipsis)
    if used > len(lengths):
        raise RangeError(
            f"{used} indices were given for a value of shape {lengths}, which has {len(lengths)} axes.",
            remedy=f"Give at most {len(lengths)}; None adds an axis.",
            site=here(),
        )
    keys = [_checked(one) for one in keys]
    places = [i for i, one in enumerate(keys) if one is Ellipsis] or [len(keys)]
    if len(places) > 1:
        raise PenstockError("Two ellipses were given as an index.", remedy="Keep one ...", site=here())
    keys[places[0] : places[0] + 1] = [slice(None)] * (len(lengths) - used)
    _refuse_scattered(keys)
    return keys


def _checked(one: Any) -> Any:
    """Returns an index in one of the forms that are known."""
    if one is None or one is Ellipsis or isinstance(one, slice):
        return one
    if isinstance(one, int | np.integer) and not isinstance(one, bool):
        return int(one)
    if isinstance(one, np.ndarray | list):
        one = as_tensor(one)
    if not isinstance(one, Tensor | Cell):
        raise DTypeError(
            f"An index is {type(one).__name__} {one!r}.",
            why="Indices are integers, slices, ..., None, or an integer tensor.",
            site=here(),
        )
    if one._spec.dtype.kind == "b":
        raise DTypeError(
            f"An index is a mask, {one._spec!r}.",
            why="How many elements it selects depends on its values; a shape must be known before.",
            remedy="Keep the shape: where(mask, x, 0), or a sum weighted with the mask.",
            site=here(),
        )
    if one._spec.dtype.kind not in "iu":
        raise DTypeError(
            f"An index is {one._spec!r}.",
            why="An index is whole.",
            remedy="Convert it, for example with astype(indices, 'int64').",
            site=here(),
        )
    return one


def _refuse_scattered(keys: list[Any]) -> None:
    """Refuses what NumPy would not do axis by axis."""
    tensors = [i for i, one in enumerate(keys) if isinstance(one, Tensor | Cell)]
    if len(tensors) > 1:
        raise PenstockError(
            f"{len(tensors)} tensors were given as an index.",
            why="NumPy pairs them element by element, which is not supported.",
            remedy="Select along one axis with take, or multiply with one_hot(indices, length) and sum.",
            site=here(),
        )
    chosen = [i for i, one in enumerate(keys) if isinstance(one, Tensor | Cell | int)]
    apart = chosen and len(chosen) != chosen[-1] - chosen[0] + 1
    if tensors and apart and any(isinstance(one, slice) or one is None for one in keys[: tensors[0]]):
        raise PenstockError(
            "A tensor and an integer were given as an index, with slices between and before them.",
            why="NumPy would move the selected axis to the front.",
            remedy="Index twice: x[0][:, indices] for x[0, :, indices].",
            site=here(),
        )
