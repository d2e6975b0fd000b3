"""Writes of single rows and elements of a variable: its methods whose names begin with scatter."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from penstock.functions import array
from penstock.ops import index, pointwise, shape
from penstock.ops.table import cast
from penstock.state.variable import Variable, updating
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import operand, record
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._tensor_shape import brackets
from penstock.trace.source_site import here

_frame = sys._getframe

Combine = Callable[[Any, Any, Any, FrameType], Any]


def _by_primitive(primitive: Any) -> Combine:
    return lambda table, rows, values, frame: record(primitive, (table, rows, values), {}, frame)


def _by_function(name: str) -> Combine:
    def combined(table: Any, rows: Any, values: Any, frame: FrameType) -> Any:
        from penstock.functions import segments

        return getattr(segments, name)(table, rows, values)

    return combined


def _divided(table: Any, rows: Any, values: Any, frame: FrameType) -> Any:
    """Returns the table, with rows that are divided by all values for them."""
    from penstock.functions import segments

    divisors = segments.scatter_multiply(array.ones_like(table), rows, values)
    if table._spec.dtype.kind not in "iu":
        return table / divisors
    return record(cast, (array.trunc(table / divisors),), {"dtype": table._spec.dtype}, frame)


SET, ADD = _by_primitive(index.set_rows), _by_primitive(index.add_rows)
MAX, MIN = _by_function("scatter_max"), _by_function("scatter_min")
MULTIPLY, DIVIDE = _by_function("scatter_multiply"), _divided


class ScatteredWrites(Variable):
    """A variable whose rows, or slices at any places, are written by themselves."""

    __slots__ = ()

    # -- rows --------------------------------------------------------------------------------------------

    def scatter_update(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Replaces the rows named by an `tf.IndexedSlices`."""
        return self._scatter(SET, sparse_delta, "scatter_update", _frame(1))

    def scatter_add(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Adds the rows of an `tf.IndexedSlices`; rows named twice are added twice."""
        return self._scatter(ADD, sparse_delta, "scatter_add", _frame(1))

    def scatter_sub(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Subtracts the rows of an `tf.IndexedSlices`."""
        return self._scatter(ADD, sparse_delta, "scatter_sub", _frame(1), negative=True)

    def scatter_max(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Raises the rows named by an `tf.IndexedSlices` to its values, where they are smaller."""
        return self._scatter(MAX, sparse_delta, "scatter_max", _frame(1))

    def scatter_min(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Lowers the rows named by an `tf.IndexedSlices` to its values, where they are larger."""
        return self._scatter(MIN, sparse_delta, "scatter_min", _frame(1))

    def scatter_mul(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Multiplies the rows named by an `tf.IndexedSlices` by its values."""
        return self._scatter(MULTIPLY, sparse_delta, "scatter_mul", _frame(1))

    def scatter_div(self, sparse_delta: Any, use_locking: Any = False, name: Any = None) -> UnreadVariable:
        """Divides the rows named by an `tf.IndexedSlices` by its values; whole numbers toward zero."""
        return self._scatter(DIVIDE, sparse_delta, "scatter_div", _frame(1))

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: Any = False, name: Any = None
    ) -> UnreadVariable:
        """Replaces, in each element of a batch, the entries named by an `tf.IndexedSlices`.

        The last axis of its indices runs along an axis of the variable; the axes before are the batch's.
        """
        places = np.asarray(operand(sparse_delta.indices))
        batch = np.indices(places.shape)[:-1]
        where = np.stack([*batch, places], axis=-1)
        return self._scatter_nd(SET, where, sparse_delta.values, "batch_scatter_update", _frame(1))

    def _scatter(
        self, combine: Combine, rows: Any, by: str, frame: FrameType, negative: bool = False
    ) -> UnreadVariable:
        values = operand(rows.values, self._spec.dtype)
        if negative:
            values = record(pointwise.negative, (values,), {}, frame)
        table = self._spec.shape or (1,)
        count = (math.prod(rows.indices.shape), *table[1:])
        if values._spec.shape == ():
            values = record(shape.broadcast_to, (values,), {"shape": count}, frame)
        self._place(combine, rows.indices, values, count, table, by, frame)
        return UnreadVariable(self)

    # -- slices ------------------------------------------------------------------------------------------

    def scatter_nd_update(self, indices: Any, updates: Any, name: Any = None) -> UnreadVariable:
        """Replaces the slices at `indices`, whose last axis names a place in the variable's first axes."""
        return self._scatter_nd(SET, indices, updates, "scatter_nd_update", _frame(1))

    def scatter_nd_add(self, indices: Any, updates: Any, name: Any = None) -> UnreadVariable:
        """Adds to the slices at `indices`."""
        return self._scatter_nd(ADD, indices, updates, "scatter_nd_add", _frame(1))

    def scatter_nd_sub(self, indices: Any, updates: Any, name: Any = None) -> UnreadVariable:
        """Subtracts from the slices at `indices`."""
        negative = record(pointwise.negative, (operand(updates, self._spec.dtype),), {}, _frame(1))
        return self._scatter_nd(ADD, indices, negative, "scatter_nd_sub", _frame(1))

    def scatter_nd_max(self, indices: Any, updates: Any, name: Any = None) -> UnreadVariable:
        """Raises the slices at `indices` to the updates, where they are smaller."""
        return self._scatter_nd(MAX, indices, updates, "scatter_nd_max", _frame(1))

    def scatter_nd_min(self, indices: Any, updates: Any, name: Any = None) -> UnreadVariable:
        """Lowers the slices at `indices` to the updates, where they are larger."""
        return self._scatter_nd(MIN, indices, updates, "scatter_nd_min", _frame(1))

    def _scatter_nd(
        self, combine: Combine, indices: Any, updates: Any, by: str, frame: FrameType
    ) -> UnreadVariable:
        places = np.asarray(operand(indices))
        depth = places.shape[-1]
        outer, inner = self._spec.shape[:depth], self._spec.shape[depth:]
        try:
            rows = np.ravel_multi_index(tuple(np.moveaxis(places, -1, 0)), outer).reshape(-1)
        except ValueError:
            raise InvalidArgumentError(
                f"{by}: an index of {places.tolist()} is outside the variable's shape "
                f"{brackets(self._spec.shape)}.",
                site=here(),
            ) from None
        table = (math.prod(outer), *inner)
        values = operand(updates, self._spec.dtype)
        self._place(combine, rows, values, (rows.size, *inner), table, by, frame)
        return UnreadVariable(self)

    def _place(
        self,
        combine: Combine,
        rows: Any,
        values: Any,
        values_shape: tuple[int, ...],
        table_shape: tuple[int, ...],
        by: str,
        frame: FrameType,
    ) -> None:
        """Writes rows of the variable seen as a table of another shape."""
        with updating(self, frame):
            table = record(shape.reshape, (self,), {"shape": table_shape}, frame)
            values = record(shape.reshape, (values,), {"shape": values_shape}, frame)
            indices = record(shape.reshape, (operand(rows),), {"shape": (values_shape[0],)}, frame)
            table = combine(table, indices, values, frame)
            self._write(by, record(shape.reshape, (table,), {"shape": self._spec.shape}, frame), None, frame)


__all__ = ["ScatteredWrites"]
