"""Functions of tf.experimental.numpy that choose and order elements."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _ordering, math
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._numpy.promotion import PLACE, agreed, given, integer, rank_of, refused
from penstock.tensorflow._numpy.shapes import atleast_1d, ravel
from penstock.tensorflow._tensor import EagerTensor


@named(f"{PLACE}.where")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Returns elements of x where a condition holds, of y elsewhere; without them, where it holds."""
    condition = given(condition, np.bool_)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise refused("Both x and y must be ndarrays, or both must be None.")
    return _arrays.where(condition, *agreed(x, y))


@named(f"{PLACE}.nonzero")
def nonzero(a: Any) -> list[EagerTensor]:
    """Returns the indices of the elements that are not 0, for each axis."""
    a = atleast_1d(a)
    return list(_arrays.unstack(_arrays.where(cast(a, np.bool_)), len(a.shape), axis=1))


@named(f"{PLACE}.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Returns elements of the choice whose condition is the first to hold."""
    if len(condlist) != len(choicelist):
        raise refused(f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})")
    if not condlist:
        raise refused("condlist must be non-empty")
    found, *choices = agreed(default, *choicelist)
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        found = where(condition, choice, found)
    return found


@named(f"{PLACE}.compress")
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Returns the slices along an axis at which a condition holds."""
    mask, a = np.asarray(given(condition, np.bool_)), given(a)
    if mask.ndim != 1:
        raise refused("condition must be a 1-d array.")
    if axis is None or not rank_of(a):
        a, axis = ravel(a), 0
    return _arrays.gather(a, np.flatnonzero(mask[: a._spec.shape[axis]]), axis=axis)


@named(f"{PLACE}.take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """Returns the slices at indices along an axis; those outside are brought to the border, or wrapped."""
    if out is not None:
        raise refused("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise refused(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise refused("The 'raise' mode to take is not supported.")
    a, indices = given(a), given(indices)
    if axis is None:
        a, axis = ravel(a), 0
    length = given(a._spec.shape[axis], indices._spec.dtype)
    if mode == "clip":
        indices = math.minimum(math.maximum(indices, given(0, indices._spec.dtype)), length - 1)
    else:
        indices = math.floormod(indices, length)
    return _arrays.gather(a, indices, axis=axis)


@named(f"{PLACE}.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Returns the elements at indices along an axis; the other axes broadcast."""
    arr, indices = given(arr), given(indices)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis %= len(arr.shape)
    lengths = [list(one.shape) for one in (arr, indices)]
    own = [one.pop(axis) for one in lengths]
    rest = list(np.broadcast_shapes(*map(tuple, lengths)))
    arr, indices = (
        _arrays.broadcast_to(one, [*rest[:axis], length, *rest[axis:]])
        for one, length in zip((arr, indices), own, strict=True)
    )
    return ps.take_along_axis(arr, _arrays.where(indices < 0, indices + own[0], indices), axis=axis)


@named(f"{PLACE}.ix_")
def ix_(*args: Any) -> list[EagerTensor]:
    """Returns indices that pick a grid of elements."""
    found = []
    for number, one in enumerate(args):
        one = given(one)
        if len(one.shape) != 1:
            raise refused(f"Arguments must be 1-d, got arg {number} of rank {len(one.shape)}")
        if one._spec.dtype == np.bool_:
            one = nonzero(one)[0]
        elif not integer(one._spec.dtype):
            raise refused(f"Only integer and bool dtypes are supported, got {one.dtype}")
        lengths = [1] * len(args)
        lengths[number] = -1
        found.append(_arrays.reshape(one, lengths))
    return found


def _check_order(kind: str, order: Any, allowed: tuple[str, ...]) -> None:
    if kind not in allowed:
        only = " and ".join(f'kind="{one}"' for one in allowed)
        verb = "is" if len(allowed) == 1 else "are"
        raise refused(
            f"Invalid value for argument `kind`. Only {only} {verb} supported. Received: kind={kind}"
        )
    if order is not None:
        raise refused("The `order` argument is not supported. Pass order=None")


@named(f"{PLACE}.argsort")
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns the indices that order elements along an axis."""
    _check_order(kind, order, ("quicksort", "stable"))
    a = given(a)
    if a._spec.dtype.kind == "c":
        raise TypeError(f"argsort does not support complex64/complex128 dtypes. Received dtype: {a.dtype}")
    if not rank_of(a):
        return given([0])
    found = _ordering.argsort(ravel(a), 0) if axis is None else _ordering.argsort(a, axis)
    return cast(found, np.int64)


@named(f"{PLACE}.sort")
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns elements in ascending order along an axis."""
    _check_order(kind, order, ("quicksort",))
    a = given(a)
    return _ordering.sort(ravel(a), 0) if axis is None else _ordering.sort(a, axis)


@named(f"{PLACE}.argmax")
def argmax(a: Any, axis: Any = None) -> Any:
    """Returns the index of the largest element."""
    return math.argmax(ravel(a) if axis is None else atleast_1d(a), axis)


@named(f"{PLACE}.argmin")
def argmin(a: Any, axis: Any = None) -> Any:
    """Returns the index of the smallest element."""
    return math.argmin(ravel(a) if axis is None else atleast_1d(a), axis)
