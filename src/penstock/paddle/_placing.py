"""Values placed into a tensor: at indices, on a diagonal, in a slice, where a mask is true."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _math, _selecting
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here


def _at(x: Any, places: np.ndarray[Any, Any], values: Any) -> Any:
    """Returns x, laid flat, with values at places, in x's shape."""
    flat = x.reshape([-1])
    values = _math.cast(operand(values), x._spec.dtype.name)
    if values._spec.shape != places.shape:
        values = values.expand(list(places.shape))
    found = _selecting.scatter(flat, data(places.reshape(-1)), values.reshape([-1]))
    return found.reshape(list(x._spec.shape))


def _numbered(x: Any) -> np.ndarray[Any, Any]:
    return np.arange(x._spec.size).reshape(x._spec.shape)


def diagonal_scatter(
    x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None
) -> Any:
    """Returns x with the values y on a diagonal."""
    x = operand(x)
    return _at(x, np.diagonal(_numbered(x), offset, axis1, axis2), y)


def select_scatter(x: Any, values: Any, axis: int, index: int, name: Any = None) -> Any:
    """Returns x with values at one place of an axis."""
    x = operand(x)
    return _at(x, np.take(_numbered(x), index, axis), values)


def slice_scatter(
    x: Any, value: Any, axes: Any, starts: Any, ends: Any, strides: Any, name: Any = None
) -> Any:
    """Returns x with values in a part of it."""
    x = operand(x)
    key: list[Any] = [slice(None)] * x._spec.ndim
    for axis, start, stop, step in zip(axes, starts, ends, strides, strict=True):
        key[axis] = slice(start, stop, step)
    return _at(x, _numbered(x)[tuple(key)], value)


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


def index_put(x: Any, indices: Any, value: Any, accumulate: bool = False, name: Any = None) -> Any:
    """Returns x with values at indices, one tensor for each axis, or added there with `accumulate`."""
    x, value = operand(x), operand(value)
    places = _numbered(x)[tuple(np.asarray(operand(one)) for one in indices)]
    if not accumulate:
        return _at(x, places, value)
    values = _math.cast(value, x._spec.dtype.name)
    if values._spec.shape != places.shape:
        values = values.expand(list(places.shape))
    added = _selecting.index_add(x.reshape([-1]), data(places.reshape(-1)), 0, values.reshape([-1]))
    return added.reshape(list(x._spec.shape))


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Returns x with values added along an axis, at the places that `index` has in their place."""
    return _selecting.put_along_axis(input, index, _as_large(src, index), dim, "add", True, False)


def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Returns x with values brought together with its own along an axis: their sum, product, mean ..."""
    way = {"sum": "add", "prod": "mul"}.get(reduce, reduce)
    return _selecting.put_along_axis(input, index, _as_large(src, index), dim, way, include_self, False)


def _as_large(src: Any, index: Any) -> Any:
    """Returns the first values along each axis, as many as there are indices."""
    src, lengths = operand(src), operand(index)._spec.shape
    if src._spec.shape == lengths:
        return src
    return _selecting.slice(src, list(range(len(lengths))), [0] * len(lengths), list(lengths))


__all__ = [
    "diagonal_scatter", "index_put", "masked_scatter", "scatter_add", "scatter_reduce", "select_scatter",
    "slice_scatter",
]  # fmt: skip
