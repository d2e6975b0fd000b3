"""Functions of tf.experimental.numpy that arrange elements."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _shape_functions
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._numpy.promotion import PLACE, agreed, given, listed, refused
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@named(f"{PLACE}.reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Returns the elements in another shape, row by row or, in order "F", column by column."""
    if order not in ("C", "F"):
        raise refused(f"Unsupported order argument {order}")
    lengths = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return _arrays.reshape(given(a), lengths)
    turned = _arrays.reshape(_arrays.transpose(given(a)), [*lengths][::-1])
    return _arrays.transpose(turned)


@named(f"{PLACE}.ravel")
def ravel(a: Any) -> Any:
    """Returns the elements in a row."""
    return _arrays.reshape(given(a), [-1])


@named(f"{PLACE}.flatten")
def flatten(a: Any, order: str = "C") -> Any:
    """Returns the elements in a row; in order "F", column by column."""
    if order not in ("C", "A", "K", "F"):
        raise refused("order can only be C, A, K (all row major) or F (column major).")
    return ravel(_arrays.transpose(given(a)) if order == "F" else a)


@named(f"{PLACE}.expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """Returns an array with a new axis of length 1."""
    return _arrays.expand_dims(given(a), axis)


@named(f"{PLACE}.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Returns an array without axes of length 1."""
    return _arrays.squeeze(given(a), axis)


@named(f"{PLACE}.transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """Returns an array with its axes in another order, or in the opposite one."""
    return _arrays.transpose(given(a), axes)


def _moved(a: EagerTensor, order: list[int]) -> Any:
    return _arrays.transpose(a, order)


@named(f"{PLACE}.swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Returns an array with two axes exchanged."""
    a = given(a)
    order = list(range(len(a.shape)))
    order[int(axis1)], order[int(axis2)] = order[int(axis2)], order[int(axis1)]
    return _moved(a, order)


@named(f"{PLACE}.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Returns an array with axes at other places."""
    a = given(a)
    sources, places = ([one] if isinstance(one, int) else list(one) for one in (source, destination))
    if len(sources) != len(places):
        raise refused("The lengths of source and destination must equal")
    rank = len(a.shape)
    sources, places = ([one + rank if one < 0 else one for one in many] for many in (sources, places))
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return _moved(a, order)


@named(f"{PLACE}.pad")
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Returns an array with more elements at the borders; `constant_values` are those of mode "constant"."""
    if mode not in ("constant", "reflect", "symmetric"):
        raise refused(f"Unsupported padding mode: {mode}")
    widths = np.asarray(pad_width)
    if widths.ndim != 2 or widths.shape[1] != 2:
        raise InvalidArgumentError(
            f"paddings must be a matrix with 2 columns: {list(widths.shape)}",
            remedy="Give a pair for each axis: [[1, 1], [0, 2]].",
            site=here(),
        )
    return _arrays.pad(given(array), widths.tolist(), mode.upper(), kwargs.get("constant_values", 0))


@named(f"{PLACE}.shape")
def shape(a: Any) -> Any:
    """Returns the length of each axis."""
    return given(a).shape


@named(f"{PLACE}.ndim")
def ndim(a: Any) -> int:
    """Returns the number of axes."""
    return len(given(a).shape)


@named(f"{PLACE}.isscalar")
def isscalar(num: Any) -> bool:
    """Returns whether an argument has no axes."""
    return ndim(num) == 0


@named(f"{PLACE}.size")
def size(x: Any, axis: Any = None) -> Any:
    """Returns the number of elements."""
    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size` implementation")
    return 1 if isinstance(x, int | float) else np.prod(given(x)._spec.shape, dtype=int)


@named(f"{PLACE}.split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[EagerTensor]:
    """Returns an array in parts: in so many, or cut before these indices."""
    ary = given(ary)
    if isinstance(indices_or_sections, int):
        return list(_arrays.split(ary, indices_or_sections, axis))
    if axis >= len(ary.shape):
        raise refused(f"axis {axis} is out of bound for shape {ary.shape}")
    length = ary._spec.shape[axis]
    ends = [builtins.min(int(one), length) for one in indices_or_sections] + [length]
    starts = [0, *ends[:-1]]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if end < start:
            raise refused(f"The {number}-th boundary {end} is smaller than the previous boundary {start}")
    return list(_arrays.split(ary, [b - a for a, b in zip(starts, ends, strict=True)], axis))


def _along(axis: int) -> Any:
    def function(ary: Any, indices_or_sections: Any) -> list[EagerTensor]:
        ary = given(ary)
        own = 0 if axis == 1 and len(ary.shape) == 1 else axis
        if isinstance(indices_or_sections, int) and ary._spec.shape[own] % indices_or_sections:
            raise refused("array split does not result in an equal division")
        return split(ary, indices_or_sections, own)

    return function


hsplit = listed("hsplit", _along(1), "the parts along the second axis")
vsplit = listed("vsplit", _along(0), "the parts along the first axis")
dsplit = listed("dsplit", _along(2), "the parts along the third axis")


def _at_least(axes: int, x: Any) -> Any:
    x = given(x)
    lengths = list(x._spec.shape)
    if len(lengths) >= axes:
        return x
    if axes == 3:
        return _arrays.reshape(
            x, [1, 1, 1] if not lengths else [1, *lengths, 1] if len(lengths) == 1 else [*lengths, 1]
        )
    return _arrays.reshape(x, [1] * (axes - len(lengths)) + lengths)


def _raised(axes: int) -> Any:
    def function(*arys: Any) -> Any:
        found = [_at_least(axes, one) for one in arys]
        return found[0] if len(found) == 1 else found

    return function


atleast_1d = listed("atleast_1d", _raised(1), "arrays with one axis or more")
atleast_2d = listed("atleast_2d", _raised(2), "arrays with two axes or more")
atleast_3d = listed("atleast_3d", _raised(3), "arrays with three axes or more")


@named(f"{PLACE}.stack")
def stack(arrays: Any, axis: int = 0) -> Any:
    """Returns arrays joined along a new axis."""
    if isinstance(arrays, Tensor):
        return given(arrays) if axis == 0 else swapaxes(arrays, 0, axis)
    return _arrays.stack(agreed(*arrays), axis)


def _joined(axes: int, axis: Any) -> Any:
    def function(tup: Any) -> Any:
        arrays = agreed(*[_at_least(axes, one) for one in tup])
        return _arrays.concat(arrays, axis if axis is not None else builtins.min(1, len(arrays[0].shape) - 1))

    return function


hstack = listed("hstack", _joined(1, None), "arrays joined along the second axis, vectors along the first")
vstack = listed("vstack", _joined(2, 0), "arrays joined along the first axis")
dstack = listed("dstack", _joined(3, 2), "arrays joined along the third axis")


@named(f"{PLACE}.concatenate")
def concatenate(arys: Any, axis: int = 0) -> Any:
    """Returns arrays joined along an axis.

    >>> from penstock import tensorflow as tf
    >>> print(tf.experimental.numpy.concatenate([[1, 2], [0.5]]))
    tf.Tensor([1.  2.  0.5], shape=(3,), dtype=float64)
    """
    arrays = list(arys) if isinstance(arys, list | tuple) else [arys]
    if not arrays:
        raise refused(f"Need at least one array to concatenate. Received empty input: arys={arys}")
    return _arrays.concat(agreed(*arrays), axis)


@named(f"{PLACE}.append")
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Returns an array with more elements at its end."""
    return concatenate([ravel(arr), ravel(values)]) if axis is None else concatenate([arr, values], axis)


@named(f"{PLACE}.tile")
def tile(a: Any, reps: Any) -> Any:
    """Returns an array repeated along its axes."""
    a = given(a)
    counts = np.asarray(reps).reshape(-1).tolist()
    rank = builtins.max(len(counts), len(a.shape))
    counts = [1] * (rank - len(counts)) + counts
    return _arrays.tile(_arrays.reshape(a, [1] * (rank - len(a.shape)) + list(a.shape)), counts)


@named(f"{PLACE}.repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Returns an array with each element, or each slice along an axis, repeated."""
    return _shape_functions.repeat(given(a), repeats, axis)


def _reversed(a: EagerTensor, axes: list[int]) -> Any:
    return _arrays.reverse(a, axes) if axes else a


@named(f"{PLACE}.flip")
def flip(m: Any, axis: Any = None) -> Any:
    """Returns an array in the opposite order along an axis, or along all."""
    m = given(m)
    return _reversed(m, list(range(len(m.shape))) if axis is None else [int(axis)])


flipud = listed("flipud", lambda m: flip(m, 0), "the opposite order along the first axis")
fliplr = listed("fliplr", lambda m: flip(m, 1), "the opposite order along the second axis")


@named(f"{PLACE}.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Returns an array whose elements are moved along axes, the last ones to the front."""
    a = given(a)
    if axis is not None:
        return _shape_functions.roll(a, shift, axis)
    return _arrays.reshape(_shape_functions.roll(_arrays.reshape(a, [-1]), shift, 0), a._spec.shape)


@named(f"{PLACE}.rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Returns an array turned by a quarter, k times, in the plane of two axes."""
    m, (first, second) = given(m), axes
    if k % 4 == 0:
        return m
    if k % 4 == 2:
        return flip(flip(m, first), second)
    return (
        swapaxes(flip(m, second), first, second) if k % 4 == 1 else flip(swapaxes(m, first, second), second)
    )


@named(f"{PLACE}.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Returns arrays repeated to their common shape."""
    if kwargs.pop("subok", False):
        raise refused("subok=True is not supported.")
    if kwargs:
        raise refused(f"Received unsupported arguments {kwargs.keys()}")
    arrays = [given(one) for one in args]
    lengths = np.broadcast_shapes(*[tuple(one.shape) for one in arrays])
    return [_arrays.broadcast_to(one, lengths) for one in arrays] if len(arrays) > 1 else tuple(arrays)


@named(f"{PLACE}.meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> list[EagerTensor]:
    """Returns the coordinates of the points of a grid, for each axis."""
    if sparse := kwargs.get("sparse", False):
        raise refused(
            f"Function `meshgrid` does not support returning sparse arrays yet. Received: {sparse=}"
        )
    if not (copy := kwargs.get("copy", True)):
        raise refused(f"Function `meshgrid` only supports copy=True. Received: {copy=}")
    vectors = [ravel(agreed(one, xi[0])[0]) for one in xi]
    places = list(range(len(vectors)))
    if kwargs.get("indexing", "xy") == "xy":
        places[:2] = places[:2][::-1]
    lengths = [vectors[place]._spec.size for place in places]
    return [
        _arrays.broadcast_to(_arrays.reshape(one, [-1 if place == n else 1 for n in places]), lengths)
        for place, one in enumerate(vectors)
    ]
