"""Functions of keras.ops that arrange elements."""

from __future__ import annotations

import itertools as _itertools
import re as _re
from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _matrices,
    _ordering,
    _scatter,
    _shape_functions,
)
from penstock.tensorflow import (
    math as _math,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _axes, _given, _pair, _public
from penstock.trace.source_site import here as _here


@_public
def reshape(x: Any, newshape: Any) -> Any:
    """Returns the elements of x in another shape; one length may be -1."""
    lengths = [newshape] if isinstance(newshape, int) else list(newshape)
    return _arrays.reshape(_given(x), [-1 if one is None else one for one in lengths])


@_public
def ravel(x: Any) -> Any:
    """Returns the elements of x in a row."""
    return _arrays.reshape(_given(x), [-1])


@_public
def transpose(x: Any, axes: Any = None) -> Any:
    """Returns x with its axes in another order, or in the opposite one."""
    return _arrays.transpose(_given(x), axes)


@_public
def expand_dims(x: Any, axis: Any) -> Any:
    """Returns x with new axes of length 1."""
    x = _given(x)
    if isinstance(axis, int):
        return _arrays.expand_dims(x, axis)
    rank = len(x._spec.shape) + len(axis)
    for one in sorted_(n % rank for n in axis):
        x = _arrays.expand_dims(x, one)
    return x


sorted_ = sorted


@_public
def squeeze(x: Any, axis: Any = None) -> Any:
    """Returns x without axes of length 1."""
    return _arrays.squeeze(_given(x), axis)


def _joined(xs: Any) -> list[Any]:
    tensors = [_given(one) for one in xs]
    first = tensors[0]
    for one in tensors[1:]:
        first = _pair(first, one)[0]
    return [_pair(one, first)[0] if one._spec.dtype != first._spec.dtype else one for one in tensors]


@_public
def concatenate(xs: Any, axis: int = 0) -> Any:
    """Returns tensors joined along an axis."""
    return _arrays.concat(_joined(xs), axis)


@_public
def stack(x: Any, axis: int = 0) -> Any:
    """Returns tensors joined along a new axis."""
    return _arrays.stack(_joined(x), axis)


@_public
def hstack(xs: Any) -> Any:
    """Returns tensors joined along the second axis, vectors along the first."""
    tensors = [one if one._spec.shape else _arrays.reshape(one, [1]) for one in _joined(xs)]
    return _arrays.concat(tensors, 0 if len(tensors[0]._spec.shape) == 1 else 1)


@_public
def vstack(xs: Any) -> Any:
    """Returns tensors joined along the first axis; vectors too, as Keras has it on TensorFlow."""
    return _arrays.concat(_joined(xs), 0)


@_public
def append(x1: Any, x2: Any, axis: Any = None) -> Any:
    """Returns two tensors joined along an axis, or all their elements in a row."""
    x, y = _pair(x1, x2)
    if axis is None:
        x, y, axis = _arrays.reshape(x, [-1]), _arrays.reshape(y, [-1]), 0
    return _arrays.concat([x, y], axis)


@_public
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Returns the parts of x along an axis: a number of equal ones, or those between indices."""
    x = _given(x)
    if isinstance(indices_or_sections, int):
        return _arrays.split(x, indices_or_sections, axis)
    length = x._spec.shape[axis]
    bounds = [0, *(int(n) for n in indices_or_sections), length]
    return _arrays.split(x, [b - a for a, b in _itertools.pairwise(bounds)], axis)


@_public
def array_split(x: Any, indices_or_sections: int, axis: int = 0) -> Any:
    """Returns parts of x along an axis, the first of which are longer by one where they cannot be equal."""
    for word, one in (("indices_or_sections", indices_or_sections), ("axis", axis)):
        if not isinstance(one, int):
            raise TypeError(f"Argument `{word}` must be of type `int`. Received: {word}={one}")
    if indices_or_sections <= 0:
        raise _ArgumentError(
            "Argument `indices_or_sections` must be a positive integer. Received: "
            f"indices_or_sections={indices_or_sections}",
            site=_here(),
        )
    x = _given(x)
    least, more = divmod(x._spec.shape[axis], indices_or_sections)
    lengths = [least + 1] * more + [least] * (indices_or_sections - more)
    return _arrays.split(x, lengths, axis)


@_public
def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Returns x with its axes in another order, joined or taken apart: "b h w c -> b (h w) c".

    `axes_lengths` are the lengths of axes of a group on the left; one in each group may be missing.
    """
    x = _given(tensor)
    before, after = (_re.findall(r"\([^()]*\)|\w+", side) for side in pattern.split("->"))
    known: dict[str, int] = {}
    flat: list[str] = []
    for group, length in zip(before, x._spec.shape, strict=True):
        names = group.strip("()").split()
        told = [axes_lengths[name] for name in names if name in axes_lengths]
        rest = length // int(_np.prod(told))
        known.update({name: axes_lengths.get(name, rest) for name in names})
        flat += names
    x = _arrays.reshape(x, [known[name] for name in flat])
    groups = [one.strip("()").split() for one in after]
    x = _arrays.transpose(x, [flat.index(name) for names in groups for name in names])
    return _arrays.reshape(x, [int(_np.prod([known[name] for name in names])) for names in groups])


@_public
def view(x: Any, dtype: Any = None) -> Any:
    """Returns the bytes of x as numbers of another dtype."""
    from penstock.tensorflow._dtype import as_dtype
    from penstock.tensorflow._rarer_names import bitcast

    x = _given(x)
    old = as_dtype(x.dtype)
    new = old if dtype is None else as_dtype(dtype)
    shape = tuple(x._spec.shape)
    if (not shape and old.size != new.size) or (shape and shape[-1] * old.size % new.size):
        raise _ArgumentError(
            f"Cannot view array of shape {x.shape} and dtype {old} as dtype {new} because the total number "
            "of bytes is not divisible by the new itemsize.",
            site=_here(),
        )
    if old.size >= new.size:
        made = bitcast(x, new)
        return _arrays.reshape(made, (*shape[:-1], -1)) if old.size > new.size else made
    ratio = new.size // old.size
    return bitcast(_arrays.reshape(x, (*shape[:-1], shape[-1] // ratio, ratio)), new)


@_public
def unstack(x: Any, num: Any = None, axis: int = 0) -> Any:
    """Returns the slices of x along an axis."""
    return _arrays.unstack(_given(x), num, axis)


@_public
def tile(x: Any, repeats: Any) -> Any:
    """Returns x repeated along each axis."""
    x = _given(x)
    times = [repeats] if isinstance(repeats, int) else list(repeats)
    times = [1] * (len(x._spec.shape) - len(times)) + times
    while len(x._spec.shape) < len(times):
        x = _arrays.expand_dims(x, 0)
    return _arrays.tile(x, times)


@_public
def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Returns each element, or each slice along an axis, repeated."""
    return _shape_functions.repeat(_given(x), repeats, axis)


@_public
def broadcast_to(x: Any, shape: Any) -> Any:
    """Returns x spread to a shape."""
    return _arrays.broadcast_to(_given(x), shape)


@_public
def flip(x: Any, axis: Any = None) -> Any:
    """Returns x in the opposite order along axes, or along all."""
    return _ps.flip(_given(x), axis=_axes(axis))


@_public
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Returns x moved around along an axis."""
    return _ps.roll(_given(x), shift, axis=axis)


@_public
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Returns x with axes moved to other places."""
    return _ps.moveaxis(_given(x), _axes(source), _axes(destination))


@_public
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Returns x with two axes exchanged."""
    x = _given(x)
    order = list(range(len(x._spec.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _arrays.transpose(x, order)


@_public
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """Returns x with elements added at the ends of its axes."""
    x = _given(x)
    width = _np.asarray(pad_width)
    width = _np.broadcast_to(width, (len(x._spec.shape), 2)).tolist()
    return _arrays.pad(x, width, mode, 0 if constant_values is None else constant_values)


@_public
def meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Returns the coordinates of a grid."""
    return _shape_functions.meshgrid(*[_given(one) for one in x], indexing=indexing)


@_public
def diag(x: Any, k: int = 0) -> Any:
    """Returns the diagonal of a matrix, or a matrix with a vector as its diagonal."""
    x = _given(x)
    if len(x._spec.shape) == 1:
        return _matrices.diag(x, k=k)
    return diagonal(x, k)


@_public
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns the diagonals of matrices along two axes, as the last axis."""
    x = _ps.moveaxis(_given(x), (axis1, axis2), (-2, -1))
    return _ps.linalg.diagonal(x, offset=offset)


@_public
def tril(x: Any, k: int = 0) -> Any:
    """Returns matrices with zeros above a diagonal."""
    return _ps.tril(_given(x), k=k)


@_public
def triu(x: Any, k: int = 0) -> Any:
    """Returns matrices with zeros below a diagonal."""
    return _ps.triu(_given(x), k=k)


@_public
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Returns the differences of neighbours."""
    return _ps.diff(_given(a), axis=axis, n=n)


@_public
def take(x: Any, indices: Any, axis: Any = None) -> Any:
    """Returns slices of x along an axis, or elements of all in a row."""
    x = _given(x)
    x, axis = (_arrays.reshape(x, [-1]), 0) if axis is None else (x, axis)
    numbers = _given(indices)
    length = x._spec.shape[axis]
    return _arrays.gather(x, _ps.where(_ps.less(numbers, 0), numbers + length, numbers), axis=axis)


@_public
def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Any:
    """Returns elements of x, of which there is a place for each row."""
    x, numbers = _given(x), _given(indices)
    if axis is None:
        return _ps.take_along_axis(_arrays.reshape(x, [-1]), _arrays.reshape(numbers, [-1]), axis=0)
    return _ps.take_along_axis(x, numbers, axis=axis)


@_public
def get_item(x: Any, key: Any) -> Any:
    """Returns x[key]."""
    return _given(x)[key]


@_public
def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """Returns the part of a shape that begins at a place."""
    return _arrays.slice(_given(inputs), start_indices, shape)


@_public
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """Returns x with a part replaced, which begins at a place."""
    x, part = _given(inputs), _given(updates)
    starts = [int(n) for n in start_indices]
    lengths = part._spec.shape
    places = _np.stack(_np.meshgrid(*[_np.arange(s, s + n) for s, n in zip(starts, lengths, strict=True)],
                                    indexing="ij"), -1).reshape(-1, len(starts))  # fmt: skip
    return _scatter.tensor_scatter_nd_update(x, places, _arrays.reshape(part, [-1]))


@_public
def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Returns zeros of a shape with values added at places."""
    return _scatter.scatter_nd(_given(indices), _given(values), shape)


@_public
def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    """Returns x with values put at indices; `reduction` "add", "max", "min" combines them with x's own."""
    functions = {
        None: _scatter.tensor_scatter_nd_update, "add": _scatter.tensor_scatter_nd_add,
        "max": _scatter.tensor_scatter_nd_max, "min": _scatter.tensor_scatter_nd_min,
    }  # fmt: skip
    if reduction not in functions:
        raise _ArgumentError(f"scatter_update: reduction={reduction!r} is not taken.", site=_here())
    return functions[reduction](_given(inputs), _given(indices), _given(updates))


@_public
def nonzero(x: Any) -> Any:
    """Returns the places of elements that are not zero, a tensor for each axis."""
    found = _np.nonzero(_np.asarray(_given(x).numpy()))
    return tuple(_given(one.astype(_np.int32)) for one in found)


@_public
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Returns where values belong in an ordered sequence."""
    x, y = _pair(sorted_sequence, values)
    return _ordering.searchsorted(x, y, side=side)


@_public
def digitize(x: Any, bins: Any) -> Any:
    """Returns between which bounds each element lies."""
    x, bounds = _pair(x, bins)
    return _ordering.searchsorted(bounds, x, side="right")


def _segments(name: str) -> None:
    unordered = getattr(_math, f"unsorted_segment_{name}")

    def segment(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        numbers = _given(segment_ids)
        count = int(_np.asarray(numbers.numpy()).max()) + 1 if num_segments is None else num_segments
        return unordered(_given(data), numbers, count)

    segment.__doc__ = f"Returns the {name} of the rows of each segment."
    _public(segment, f"segment_{name}")


for _name in ("sum", "max", "min", "prod"):
    if hasattr(_math, f"unsorted_segment_{_name}"):
        _segments(_name)
