"""Neighbouring diagonals of a matrix, and how they lie in the rows of a smaller one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.trace.source_site import here

ALIGNED = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
"""The side on which diagonals above the main one begin, and those below it."""
Array = np.ndarray[Any, Any]


class Band(NamedTuple):
    """The diagonals from `low` to `high` of matrices of `rows` and `columns`; 0 is the main one."""

    low: int
    high: int
    rows: int
    columns: int
    align: str

    @classmethod
    def of(cls, k: Any, align: str, rows: int, columns: int) -> Band:
        """Returns the diagonals `k`, one number or two. Raises an error for one that is not in the matrix."""
        low, high = _ends(k)
        for one in (low, high):
            if not -rows < one < columns and (rows or columns) and one:
                raise InvalidArgumentError(
                    f"diag_index has a value out of range: {one}. It must be in range ({-rows}, {columns}).",
                    site=here(),
                )
        return cls(low, high, rows, columns, _checked(align))

    @classmethod
    def around(
        cls, shape: Sequence[int], k: Any = 0, align: str = "RIGHT_LEFT", rows: int = -1, columns: int = -1
    ) -> Band:
        """Returns the diagonals of the matrix that holds these, which is square unless a length is given."""
        low, high = _ends(k)
        count = high - low + 1
        if count > 1 and (len(shape) < 2 or shape[-2] != count):
            raise InvalidArgumentError(
                f"The number of diagonals provided in the input does not match the lower_diag_index and "
                f"upper_diag_index range: {list(shape)} and {low} to {high}.",
                site=here(),
            )
        least = shape[-1] - min(high, 0), shape[-1] + max(low, 0)
        if (rows != -1 and rows < least[0]) or (columns != -1 and columns < least[1]):
            raise InvalidArgumentError(
                f"The number of rows or columns is too small: {rows} and {columns}; the diagonals need "
                f"{least[0]} and {least[1]}.",
                site=here(),
            )
        if rows == columns == -1:
            rows = columns = max(least)
        rows, columns = (least[0] if rows == -1 else rows), (least[1] if columns == -1 else columns)
        if rows != least[0] and columns != least[1]:
            raise InvalidArgumentError(
                "The number of rows or columns is not consistent with the specified d_lower, d_upper, and "
                f"diagonal: {rows} and {columns}; the diagonals need {least[0]} and {least[1]}.",
                site=here(),
            )
        return cls(low, high, rows, columns, _checked(align))

    @property
    def is_main(self) -> bool:
        """Whether it is the main diagonal alone."""
        return self.low == self.high == 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in which the diagonals lie: [diagonals, longest], or [length] of one."""
        longest = min(self.rows + min(self.high, 0), self.columns - max(self.low, 0))
        return (longest,) if self.low == self.high else (self.high - self.low + 1, longest)

    def _margin(self, number: Array) -> tuple[Array, Array]:
        """Returns how many places are left free before a diagonal, and how long it is."""
        above, below = (word == "LEFT" for word in self.align.split("_"))
        length = np.minimum(self.rows + np.minimum(number, 0), self.columns - np.maximum(number, 0))
        left = ((number >= 0) & above) | ((number <= 0) & below)
        return np.where(left, 0, self.shape[-1] - length), length

    def in_matrix(self) -> tuple[Array, Array, Array]:
        """Returns, in the shape of the diagonals, row and column of each place, and whether it is one."""
        number = np.arange(self.high, self.low - 1, -1)[:, None]
        margin, length = self._margin(number)
        at = np.arange(self.shape[-1]) - margin
        there = (at >= 0) & (at < length)
        at = np.where(there, at, 0)
        return at - np.minimum(number, 0), at + np.maximum(number, 0), there

    def in_diagonals(self) -> tuple[Array, Array]:
        """Returns, in the shape of the matrix, each place in the diagonals, and whether it is in one."""
        row, column = np.indices((self.rows, self.columns))
        number = column - row
        there = (number >= self.low) & (number <= self.high)
        at = np.minimum(row, column) + self._margin(number)[0]
        return np.where(there, (self.high - number) * self.shape[-1] + at, 0), there


def _ends(k: Any) -> tuple[int, int]:
    found = [int(one) for one in np.asarray(tensor_of(k).numpy()).reshape(-1)]
    if len(found) not in (1, 2) or found[0] > found[-1]:
        raise InvalidArgumentError(
            f"diag_index must have one or two elements, the lower first, received {found}.", site=here()
        )
    return found[0], found[-1]


def _checked(align: Any) -> str:
    if align not in ALIGNED:
        raise ArgumentError(f"align is {align!r}.", remedy=f"Give one of {', '.join(ALIGNED)}.", site=here())
    return str(align)


__all__ = ["Band"]
