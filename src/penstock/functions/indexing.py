"""Basic indexing: integers, slices, ellipsis, new axes, and one integer tensor, as primitives."""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import DTypeError, RangeError
from penstock.ops import index, pointwise, shape
from penstock.trace.recorder import as_tensor
from penstock.trace.site import here
from penstock.trace.tensor import Cell, Tensor


def get_item(x: Any, key: Any, frame: FrameType) -> Tensor:
    """Returns `x[key]` by NumPy's rules of basic indexing; an integer tensor selects along its axis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    rank = len(x.shape)
    used = sum(1 for one in keys if one is not None and one is not Ellipsis)
    if used > rank:
        raise RangeError(
            f"{used} indices were given for a value of shape {x.shape}, which has {rank} axes.", site=here()
        )
    if Ellipsis in [one if one is Ellipsis else 0 for one in keys]:
        place = next(i for i, one in enumerate(keys) if one is Ellipsis)
        keys[place : place + 1] = [slice(None)] * (rank - used)
    else:
        keys += [slice(None)] * (rank - used)
    window: list[tuple[int, int, int]] = []
    flipped: list[int] = []
    final: list[int] = []
    gathers: list[tuple[int, Any]] = []
    axis = 0
    for one in keys:
        if one is None:
            final.append(1)
            continue
        length = x.shape[axis]
        if isinstance(one, slice):
            start, stop, step = one.indices(length)
            count = len(range(start, stop, step))
            if step < 0:
                flipped.append(axis)
                start, stop, step = start + (count - 1) * step, start + 1, -step
            window.append((start, start if count == 0 else min(stop, length), step))
            final.append(count)
        elif isinstance(one, Tensor | Cell | np.ndarray | list):
            window.append((0, length, 1))
            gathers.append((len(final), one if isinstance(one, Tensor | Cell) else as_tensor(one)))
            final.append(length)
        elif isinstance(one, int | np.integer) and not isinstance(one, bool):
            if not -length <= one < length:
                raise RangeError(
                    f"Index {one} is out of range for axis {axis}, which has {length} entries (shape {x.shape}).",
                    site=here(),
                )
            position = int(one) % length
            window.append((position, position + 1, 1))
        else:
            raise DTypeError(
                f"An index is {type(one).__name__} {one!r}.",
                why="Indices are integers, slices, ..., None, or an integer tensor.",
                site=here(),
            )
        axis += 1
    result: Any = x
    if any(one != (0, n, 1) for one, n in zip(window, x.shape, strict=True)):
        result = shape.slice_.record((result,), {"window": tuple(window)}, frame)
    if flipped:
        result = shape.flip.record((result,), {"axes": tuple(flipped)}, frame)
    if tuple(final) != result.shape or result is x:
        result = shape.reshape.record((result,), {"shape": tuple(final)}, frame)
    for axis, indices in reversed(gathers):
        length = result.shape[axis]
        wrapped = pointwise.where.record(
            (pointwise.less.record((indices, 0), {}, frame), indices + length, indices), {}, frame
        )
        result = index.take.record((result, wrapped), {"axis": axis}, frame)
    return result
