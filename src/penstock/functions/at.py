"""Functional updates: `x.at[key].set(value)` is a copy of x with the selected elements changed."""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, DTypeError, RangeError
from penstock.functions.indexing import get_item, is_mask
from penstock.ops import index, pointwise
from penstock.ops import shape as _shape
from penstock.ops.promotion import kind_of, number_kind
from penstock.ops.table import Primitive, broadcast_shapes, cast
from penstock.trace.convert import as_tensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete

_frame = sys._getframe
_NUMBERS = (bool, int, float, complex)


class At:
    """The value of `x.at`: index it, then call a method to change the selected elements."""

    __slots__ = ("_x",)

    def __init__(self, x: Any) -> None:
        self._x = x

    def __getitem__(self, key: Any) -> Place:
        return Place(self._x, key)


class Place:
    """Elements of a tensor, selected by an index of any kind: each method returns a new tensor.

    Values broadcast to the elements and take the tensor's dtype. If an index names an element more than once,
    `set` keeps the last value, and the other methods apply them all: the powers of one element are multiplied
    with each other, as in JAX. Gradients pass to the tensor and to the values.

    >>> import penstock as ps
    >>> x = ps.asarray([1.0, 2.0, 3.0])
    >>> x.at[0].set(9.0)
    Tensor([9., 2., 3.], dtype=float32)
    >>> x.at[ps.asarray([1, 1])].add(10.0)
    Tensor([ 1., 22.,  3.], dtype=float32)
    """

    __slots__ = ("_key", "_x")

    def __init__(self, x: Any, key: Any) -> None:
        self._x, self._key = x, key

    def get(self) -> Tensor:
        """Returns the elements themselves: `x[key]`."""
        return get_item(self._x, self._key, _frame(1))

    def set(self, value: Any) -> Tensor:
        """Returns x with `value` in place of the elements."""
        return self._write(None, value, _frame(1))

    def add(self, value: Any) -> Tensor:
        """Returns x with `value` added to the elements."""
        return self._write(pointwise.add, value, _frame(1))

    def subtract(self, value: Any) -> Tensor:
        """Returns x with `value` subtracted from the elements."""
        return self._write(pointwise.subtract, value, _frame(1))

    def multiply(self, value: Any) -> Tensor:
        """Returns x with the elements multiplied by `value`."""
        return self._write(pointwise.multiply, value, _frame(1))

    def divide(self, value: Any) -> Tensor:
        """Returns x with the elements divided by `value`."""
        return self._write(pointwise.divide, value, _frame(1))

    def power(self, value: Any) -> Tensor:
        """Returns x with the elements raised to the power `value`."""
        return self._write(pointwise.power, value, _frame(1))

    def min(self, value: Any) -> Tensor:
        """Returns x with the smaller of each element and `value`."""
        return self._write(pointwise.minimum, value, _frame(1))

    def max(self, value: Any) -> Tensor:
        """Returns x with the larger of each element and `value`."""
        return self._write(pointwise.maximum, value, _frame(1))

    def _write(self, combine: Primitive | None, value: Any, frame: FrameType) -> Tensor:
        x, key = self._x, self._key
        value = _fitting(x, value, frame)
        whole = is_mask(key) and tuple(key.shape) == tuple(x.shape)
        if whole and (isinstance(value, _NUMBERS) or not value.shape):
            # The shape does not depend on this mask, whose values are therefore not looked at.
            changed = value if combine is None else combine.record((x, value), {}, frame)
            return pointwise.where.record((key, changed, x), {}, frame)
        places = _positions(x.shape, key, frame)
        flat = {"shape": (math.prod(places.shape),)}
        common = broadcast_shapes("at", () if isinstance(value, _NUMBERS) else value.shape, places.shape)
        if common != places.shape:
            raise ArgumentError(
                f"at: a value of shape {value.shape} does not fit the selected elements, of shape "
                f"{places.shape}.",
                why="It broadcasts to them.",
                site=here(),
            )
        several = combine in _REPEATED and _may_repeat(places) and kind_of(x.dtype) in "ifc"
        places = _shape.reshape.record((places,), flat, frame)
        rows = _shape.reshape.record((x,), {"shape": (x._spec.size,)}, frame)
        if isinstance(value, _NUMBERS):
            value = cast.record((value,), {"dtype": x.dtype}, frame)
        value = _shape.broadcast_to.record((value,), {"shape": common}, frame)
        value = _shape.reshape.record((value,), flat, frame)
        if combine in (pointwise.add, pointwise.subtract):
            if combine is pointwise.subtract:
                value = pointwise.negative.record((value,), {}, frame)
            result = index.add_rows.record((rows, places, value), {}, frame)
        elif several and combine not in (pointwise.divide, pointwise.power):
            result = _scatter(combine).record((rows, places, value), {}, frame)
        else:
            if several:
                # All that one element is divided by, or raised to, in one number: each place has the same.
                ones = index.full(cast(1, dtype=value.dtype), shape=rows.shape)
                total = _scatter(combine).record((ones, places, value), {}, frame)
                value = index.take.record((total, places), {"axis": 0}, frame)
            if combine is not None:
                before = index.take.record((rows, places), {"axis": 0}, frame)
                value = combine.record((before, value), {}, frame)
            result = index.set_rows.record((rows, places, value), {}, frame)
        return _shape.reshape.record((result,), {"shape": x.shape}, frame)


def _fitting(x: Any, value: Any, frame: FrameType) -> Any:
    """Returns a value in the tensor's dtype; raises DTypeError if the conversion would lose a part of it."""
    if isinstance(value, _NUMBERS):
        kind = number_kind(value)
    else:
        value = value if isinstance(value, Tensor | Cell) else as_tensor(value)
        kind = kind_of(value.dtype)
    if "bifc".index(kind) > "bifc".index(kind_of(x.dtype)):
        shown = repr(value) if isinstance(value, _NUMBERS) else repr(value._spec)
        raise DTypeError(
            f"at: the value is {shown}, the tensor is {x._spec!r}.",
            why="The conversion would lose part of the value.",
            remedy="Convert one of them with astype.",
            site=here(),
        )
    if isinstance(value, _NUMBERS) or value.dtype == x.dtype:
        return value
    return cast.record((value,), {"dtype": x.dtype}, frame)


def _positions(lengths: tuple[int, ...], key: Any, frame: FrameType) -> Tensor:
    """Returns the flat positions of the selected elements, in row-major order."""
    count = math.prod(lengths)
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(one, Tensor | Cell) for one in keys):
        params = {"start": 0, "step": 1, "length": count, "dtype": np.dtype(np.int64)}
        every = index.arange.record((), params, frame)
        return get_item(_shape.reshape.record((every,), {"shape": lengths}, frame), key, frame)
    try:
        # Strides of 0, so that the elements are not all numbered when few are named.
        steps = [math.prod(lengths[i + 1 :]) for i in range(len(lengths))]
        found: Any = 0
        for i, (n, step) in enumerate(zip(lengths, steps, strict=True)):
            line = (np.arange(n) * step).reshape(tuple(-1 if i == j else 1 for j in range(len(lengths))))
            found = found + np.broadcast_to(line, lengths)[key]
        if not lengths:
            found = np.zeros((), np.int64)[key]
    except IndexError as error:
        raise RangeError(f"at: {error} (shape {lengths}).", site=here()) from None
    found = np.array(found, np.int64)
    found.flags.writeable = False
    return concrete(found)


_REPEATED = {
    pointwise.multiply: "scatter_multiply",
    pointwise.minimum: "scatter_min",
    pointwise.maximum: "scatter_max",
    pointwise.divide: "scatter_multiply",
    pointwise.power: "scatter_multiply",
}
"""What puts several values at one element together: the name of a primitive."""


def _scatter(combine: Primitive | None) -> Primitive:
    from penstock.ops import segments

    assert combine is not None
    found: Primitive = getattr(segments, _REPEATED[combine])
    return found


def _may_repeat(places: Tensor) -> bool:
    """Returns whether an element may be named more than once: positions that are not known yet may."""
    if places._value is None:
        return True
    known = np.asarray(places._value)
    return bool(np.unique(known).size != known.size)
