"""How a row of values is cut into rows: where each ends. Known at once, as shapes are, and never recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._dtype import DType, as_dtype, numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

Places = np.ndarray[Any, np.dtype[np.int64]]
_LONG = np.dtype(np.int64)


def spans(starts: Any, lengths: Any) -> Places:
    """Returns the whole numbers from each start on, as many as its length, one row after another.

    >>> spans([5, 0], [2, 3]).tolist()
    [5, 6, 0, 1, 2]
    """
    starts, lengths = np.asarray(starts, np.int64), np.asarray(lengths, np.int64)
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum(), dtype=np.int64)


def ends(lengths: Any) -> Places:
    """Returns where rows of these lengths begin and end: 0, and the sum of the lengths up to each."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)


def whole_numbers(value: Any, what: str) -> tuple[Places, Any]:
    """Returns whole numbers that a user gave, looked at, and the dtype for row splits: int32 if they have it.

    Raises InvalidArgumentError for other numbers.
    """
    given = value if isinstance(value, Tensor | Cell | np.ndarray) else np.asarray(value)
    array = np.asarray(operand(given)) if isinstance(given, Tensor | Cell) else np.asarray(given)
    if array.size and array.dtype.kind not in "iu":
        raise InvalidArgumentError(f"{what} must be whole numbers, not {array.dtype}.", site=here())
    small = isinstance(value, Tensor | Cell | np.ndarray) and array.dtype == np.int32
    return array.astype(np.int64), np.dtype(np.int32 if small else np.int64)


def _refused(what: str, value: Any, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Arguments to {what} do not form a valid RaggedTensor: {value!r}.", why=why, site=here()
    )


@named("tf.experimental.RowPartition")
class RowPartition:
    """How the rows of a ragged tensor are cut from its values. Make one with one of `from_...`.

    >>> from penstock import tensorflow as tf
    >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    tf.RowPartition(row_splits=[0 2 2 3])
    """

    __slots__ = ("dtype_", "splits", "uniform")

    def __init__(self, splits: Any, uniform: int | None = None, dtype: Any = _LONG) -> None:
        self.splits: Places = np.asarray(splits, np.int64)
        self.uniform = uniform
        self.dtype_ = np.dtype(dtype)

    # -- making ------------------------------------------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Returns rows that end where the next begins: `row_splits` are 0 and the end of each row.

        `validate` and `dtype_hint` do nothing: the numbers are always checked.
        """
        splits, own = whole_numbers(row_splits, "row_splits")
        if splits.ndim != 1 or not splits.size:
            raise ArgumentError(
                "row_splits may not be empty: it starts with 0."
                if splits.ndim == 1
                else f"Shape {splits.shape} must have rank 1",
                site=here(),
            )
        if splits[0] != 0 or (np.diff(splits) < 0).any():
            raise _refused("from_row_splits", splits.tolist(), "They start at 0, and never fall.")
        return cls(splits, None, _wanted(dtype, own))

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Returns rows of these lengths.

        `validate` and `dtype_hint` do nothing: the numbers are always checked.
        """
        lengths, own = whole_numbers(row_lengths, "row_lengths")
        if lengths.ndim != 1:
            raise ArgumentError(f"Shape {lengths.shape} must have rank 1", site=here())
        if (lengths < 0).any():
            raise _refused("from_row_lengths", lengths.tolist(), "No length is below 0.")
        return cls(ends(lengths), None, _wanted(dtype, own))

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:  # fmt: skip
        """Returns rows by the number of the row to which each value belongs; `nrows` may be more.

        `validate` and `dtype_hint` do nothing: the numbers are always checked.
        """
        ids, own = whole_numbers(value_rowids, "value_rowids")
        if (np.diff(ids) < 0).any() or (ids.size and ids[0] < 0):
            raise _refused("from_value_rowids", ids.tolist(), "They are 0 or more, and never fall.")
        least = int(ids[-1]) + 1 if ids.size else 0
        count = least if nrows is None else int(nrows)
        if count < least:
            if count < 0:
                raise ArgumentError(f"Expected nrows >= 0; got {count}", site=here())
            raise ArgumentError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]={least - 1}",
                site=here(),
            )
        return cls(ends(np.bincount(ids, minlength=count)), None, _wanted(dtype, own))

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Returns rows by where each begins.

        `validate` and `dtype_hint` do nothing: the numbers are always checked.
        """
        starts, own = whole_numbers(row_starts, "row_starts")
        made = cls.from_row_splits(np.concatenate([starts, [int(nvals)]]).astype(np.int64))
        return cls(made.splits, None, _wanted(dtype, own))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Returns rows by where each ends.

        `validate` and `dtype_hint` do nothing: the numbers are always checked.
        """
        limits, own = whole_numbers(row_limits, "row_limits")
        made = cls.from_row_splits(np.concatenate([[0], limits]).astype(np.int64))
        return cls(made.splits, None, _wanted(dtype, own))

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length: Any, nvals: Any = None, nrows: Any = None, validate: bool = True,
        dtype: Any = None, dtype_hint: Any = None,
    ) -> RowPartition:  # fmt: skip
        """Returns rows that are all of one length.

        `validate` and `dtype_hint` do nothing: the numbers are always checked.
        """
        length = int(uniform_row_length)
        if nvals is None and nrows is None:
            raise ArgumentError("Either (or both) of nvals and nrows must be specified", site=here())
        if nrows is None:
            if length == 0 and int(nvals):
                raise _refused("from_uniform_row_length", length, f"There are {int(nvals)} values.")
            nrows = int(nvals) // length if length else 0
        count = int(nrows)
        if nvals is not None and count * length != int(nvals):
            raise ArgumentError(
                f"uniform_row_length={length} times nrows={count} must equal nvals={int(nvals)}", site=here()
            )
        return cls(np.arange(count + 1, dtype=np.int64) * length, length, _wanted(dtype, np.dtype(np.int64)))

    # -- looking -----------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.splits) - 1

    @property
    def values(self) -> int:
        """How many values there are."""
        return int(self.splits[-1])

    @property
    def starts(self) -> Places:
        """Where each row begins."""
        return self.splits[:-1]

    @property
    def lengths(self) -> Places:
        """How long each row is."""
        return np.diff(self.splits)

    @property
    def ids(self) -> Places:
        """The row of each value."""
        return np.repeat(np.arange(self.count), self.lengths)

    def same(self, other: RowPartition) -> bool:
        """Returns whether two cut the same rows."""
        return self is other or np.array_equal(self.splits, other.splits)

    def shown(self, numbers: Any, dtype: Any = None) -> Any:
        """Returns numbers as a tensor of the dtype of row splits."""
        wanted = self.dtype_ if dtype is None else numpy_dtype(dtype)
        return constant(np.asarray(numbers, wanted))

    @property
    def dtype(self) -> DType:
        """The dtype of row splits."""
        return as_dtype(self.dtype_)

    def nrows(self) -> Any:
        """Returns how many rows there are."""
        return self.shown(self.count)

    def nvals(self) -> Any:
        """Returns how many values there are."""
        return self.shown(self.values)

    def row_splits(self) -> Any:
        """Returns 0 and where each row ends."""
        return self.shown(self.splits)

    def row_lengths(self) -> Any:
        """Returns how long each row is."""
        return self.shown(self.lengths)

    def value_rowids(self) -> Any:
        """Returns the row of each value."""
        return self.shown(self.ids)

    def row_starts(self) -> Any:
        """Returns where each row begins."""
        return self.shown(self.starts)

    def row_limits(self) -> Any:
        """Returns where each row ends."""
        return self.shown(self.splits[1:])

    def uniform_row_length(self) -> Any:
        """Returns the length that all rows have by the way they were made, or None."""
        return None if self.uniform is None else self.shown(self.uniform)

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length that all rows have by the way they were made, or None."""
        return self.uniform

    @property
    def static_nrows(self) -> int:
        """How many rows there are."""
        return self.count

    @property
    def static_nvals(self) -> int:
        """How many values there are."""
        return self.values

    def is_uniform(self) -> bool:
        """Returns whether all rows have one length by the way they were made."""
        return self.uniform is not None

    def __repr__(self) -> str:
        if self.uniform is not None:
            return f"tf.RowPartition(nrows={self.count}, uniform_row_length={self.uniform})"
        return f"tf.RowPartition(row_splits={self.splits})"


def _wanted(dtype: Any, own: Any) -> Any:
    return own if dtype is None else numpy_dtype(dtype)


def uniform(length: int, count: int, dtype: Any = _LONG) -> RowPartition:
    """Returns this many rows of one length."""
    return RowPartition(np.arange(count + 1, dtype=np.int64) * length, length, dtype)


def of_lengths(lengths: Any, dtype: Any = _LONG) -> RowPartition:
    """Returns rows of these lengths, which are whole numbers in an array."""
    return RowPartition(ends(lengths), None, dtype)


__all__ = ["RowPartition", "ends", "of_lengths", "spans", "uniform", "whole_numbers"]
