"""The order in which C++'s std::sort, nth_element and partial_sort leave equal elements.

Paddle's CPU kernels call them on pairs of a value and its position and compare the values alone, so the order
of equal elements is that of the algorithm: D. R. Musser, "Introspective Sorting and Selection Algorithms",
Software: Practice and Experience 27(8), 1997, with the pivots and the limit of libstdc++.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np

SORT, TOP, LOOSE, STABLE = range(4)
"""What is put in order: all; the first k; the k-th, after those before it; or all, and equal ones stay."""
_FEW = 16
"""std::sort leaves so few elements to an insertion, which keeps the order of equal ones."""

Array = np.ndarray[Any, np.dtype[Any]]


def _depth(length: int) -> int:
    """Returns how often a range may be split before a heap takes over."""
    return 2 * (length.bit_length() - 1)


class _Row:
    """Positions in an order that changes, and the ranks by which they are compared."""

    __slots__ = ("places", "ranks")

    def __init__(self, ranks: list[int]) -> None:
        self.ranks, self.places = ranks, list(range(len(ranks)))

    def split(self, first: int, last: int) -> int:
        """Puts the median of three first, and what is less than it before what is greater: returns where."""
        ranks, places = self.ranks, self.places
        low, middle, high = first + 1, first + (last - first) // 2, last - 1
        a, b, c = ranks[places[low]], ranks[places[middle]], ranks[places[high]]
        if a < b:
            pivot = middle if b < c else high if a < c else low
        else:
            pivot = low if a < c else high if b < c else middle
        places[first], places[pivot] = places[pivot], places[first]
        rank, first = ranks[places[first]], low
        while True:
            while ranks[places[first]] < rank:
                first += 1
            last -= 1
            while rank < ranks[places[last]]:
                last -= 1
            if first >= last:
                return first
            places[first], places[last] = places[last], places[first]
            first += 1

    def insert(self, first: int, last: int) -> None:
        ranks, places = self.ranks, self.places
        for i in range(first + 1, last):
            place, j = places[i], i
            while j > first and ranks[place] < ranks[places[j - 1]]:
                places[j] = places[j - 1]
                j -= 1
            places[j] = place

    def sink(self, first: int, hole: int, length: int, place: int) -> None:
        """Moves the hole to the bottom of the heap, and the place up from there."""
        ranks, places = self.ranks, self.places
        top = child = hole
        while child < (length - 1) // 2:
            child = 2 * (child + 1)
            if ranks[places[first + child]] < ranks[places[first + child - 1]]:
                child -= 1
            places[first + hole] = places[first + child]
            hole = child
        if length % 2 == 0 and child == (length - 2) // 2:
            child = 2 * child + 1
            places[first + hole] = places[first + child]
            hole = child
        while hole > top and ranks[places[first + (hole - 1) // 2]] < ranks[place]:
            places[first + hole] = places[first + (hole - 1) // 2]
            hole = (hole - 1) // 2
        places[first + hole] = place

    def gather(self, first: int, middle: int, last: int) -> None:
        """Makes a heap of the least elements, as many as there are before the middle."""
        ranks, places = self.ranks, self.places
        length = middle - first
        for root in range((length - 2) // 2, -1, -1):
            self.sink(first, root, length, places[first + root])
        for i in range(middle, last):
            if ranks[places[i]] < ranks[places[first]]:
                place, places[i] = places[i], places[first]
                self.sink(first, 0, length, place)

    def empty(self, first: int, last: int) -> None:
        """Puts a heap in order."""
        places = self.places
        while last - first > 1:
            last -= 1
            place, places[last] = places[last], places[first]
            self.sink(first, 0, last - first, place)

    def sort(self, first: int, last: int) -> None:
        ranges = [(first, last, _depth(last - first))] if last > first else []
        while ranges:
            low, high, depth = ranges.pop()
            while high - low > _FEW:
                if not depth:
                    self.gather(low, high, high)
                    self.empty(low, high)
                    break
                depth -= 1
                cut = self.split(low, high)
                ranges.append((cut, high, depth))
                high = cut
        self.insert(first, last)

    def select(self, first: int, middle: int, last: int) -> None:
        """Puts at the middle what would be there in order."""
        places = self.places
        depth = _depth(last - first)
        while last - first > 3:
            if not depth:
                self.gather(first, middle + 1, last)
                places[first], places[middle] = places[middle], places[first]
                return
            depth -= 1
            cut = self.split(first, last)
            first, last = (cut, last) if cut <= middle else (first, cut)
        self.insert(first, last)


def arrange_by_python(ranks: Array, places: Array, what: int, k: int) -> None:
    """Fills the rows of places [n, m] with the positions of ranks [n, m], least first."""
    for own, out in zip(ranks.tolist(), places):
        row, length = _Row(own), len(own)
        if what == SORT:
            row.sort(0, length)
        elif k > 0 and k * 64 < length:
            row.gather(0, k, length)
            row.empty(0, k)
        elif k > 0:
            row.select(0, k - 1, length)
            if what == TOP:
                row.sort(0, k - 1)
        out[:] = row.places


arrange = arrange_by_python
if not os.environ.get("PENSTOCK_PURE"):
    with contextlib.suppress(ImportError):
        from penstock.paddle._order import arrange


def _ranks(values: Array) -> tuple[Array, bool]:
    """Returns a number for each element, the largest for NaN, and whether equal elements share one."""
    order = np.argsort(values, -1, kind="stable")
    laid = np.take_along_axis(values, order, -1)
    rises = laid[..., 1:] != laid[..., :-1]
    if values.dtype.kind in "fcV":
        rises &= laid[..., :-1] == laid[..., :-1]
    numbers = np.zeros(values.shape, np.int64)
    np.cumsum(rises, -1, out=numbers[..., 1:])
    found = np.empty(values.shape, np.int64)
    np.put_along_axis(found, order, numbers, -1)
    return found, not rises.all()


def ordered(values: Array, axis: int, descending: bool = False, what: int = SORT, k: int = 0) -> Array:
    """Returns the positions of the elements in order along an axis; of those after the k-th any order."""
    if not values.ndim:
        return np.zeros((), np.int64)
    moved = np.moveaxis(values, axis, -1)
    length = moved.shape[-1]
    ranks, equal = _ranks(moved)
    if descending:
        ranks = -ranks
    if what == STABLE or (not equal and what != LOOSE) or (what == SORT and length <= _FEW):
        found = np.argsort(ranks, -1, kind="stable")
    else:
        found = np.empty(moved.shape, np.int64)
        arrange(np.ascontiguousarray(ranks).reshape(-1, length), found.reshape(-1, length), what, k)
    return np.moveaxis(found, -1, axis)


__all__ = ["LOOSE", "SORT", "STABLE", "TOP", "arrange", "arrange_by_python", "ordered"]
