"""Where the elements of a tensor are in the memory that it shares: an offset, lengths and steps, in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from penstock.trace.spec import Spec


class Layout(NamedTuple):
    """The first byte, the length of each axis, the bytes from one entry of it to the next, and the dtype."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]

    def reshaped(self, shape: tuple[int, ...]) -> Layout | None:
        """Returns the same elements in another shape; None if the steps between them do not allow it."""
        if shape == self.shape:
            return self
        strides = _steps_of(self.shape, self.strides, shape, self.dtype.itemsize)
        return None if strides is None else self._replace(shape=shape, strides=strides)

    def transposed(self, axes: Sequence[int]) -> Layout:
        """Returns the layout with its axes in another order."""
        return self._replace(
            shape=tuple([self.shape[i] for i in axes]), strides=tuple([self.strides[i] for i in axes])
        )

    def part(self, window: Sequence[tuple[int, int, int]]) -> Layout:
        """Returns the part from a start to an end in steps above 0, along each axis."""
        return self._replace(
            offset=self.offset + sum(first * s for (first, _, _), s in zip(window, self.strides)),
            shape=tuple([max(0, -(-(stop - first) // step)) for first, stop, step in window]),
            strides=tuple([s * step for (_, _, step), s in zip(window, self.strides)]),
        )

    def flipped(self, axes: Sequence[int]) -> Layout:
        """Returns the layout with the entries of some axes in reverse order."""
        turned = [i in {axis % len(self.shape) for axis in axes} for i in range(len(self.shape))]
        return self._replace(
            offset=self.offset
            + sum((n - 1) * s for n, s, yes in zip(self.shape, self.strides, turned) if yes and n),
            strides=tuple([-s if yes else s for s, yes in zip(self.strides, turned)]),
        )

    def diagonal(self, offset: int, first: int, second: int) -> Layout:
        """Returns the diagonals over two axes, as the last axis."""
        rank = len(self.shape)
        first, second = first % rank, second % rank
        rows, columns = self.shape[first], self.shape[second]
        step, across = self.strides[first], self.strides[second]
        length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
        kept = [i for i in range(rank) if i not in (first, second)]
        return self._replace(
            offset=self.offset + (offset * across if offset >= 0 else -offset * step),
            shape=(*[self.shape[i] for i in kept], length),
            strides=(*[self.strides[i] for i in kept], step + across),
        )

    def unfolded(self, axis: int, size: int, step: int) -> Layout:
        """Returns the parts of an axis of a size, each `step` after the one before, in a new last axis."""
        count = (self.shape[axis] - size) // step + 1
        before, stride = self.strides[:axis], self.strides[axis]
        return self._replace(
            shape=(*self.shape[:axis], count, *self.shape[axis + 1 :], size),
            strides=(*before, stride * step, *self.strides[axis + 1 :], stride),
        )

    def strided(self, shape: Sequence[int], stride: Sequence[int], offset: int) -> Layout:
        """Returns elements of the memory at steps of their own, counted in elements."""
        size = self.dtype.itemsize
        return self._replace(
            offset=offset * size, shape=tuple(shape), strides=tuple([one * size for one in stride])
        )

    def half(self, second: bool) -> Layout:
        """Returns the real or the imaginary parts of complex numbers."""
        dtype = np.dtype(f"f{self.dtype.itemsize // 2}")
        return self._replace(offset=self.offset + second * dtype.itemsize, dtype=dtype)

    def pairs(self) -> Layout:
        """Returns complex numbers as pairs in a new last axis."""
        real = self.half(False)
        size = real.dtype.itemsize
        return real._replace(shape=(*self.shape, 2), strides=(*self.strides, size))

    def complexes(self) -> Layout | None:
        """Returns the pairs in the last axis as complex numbers."""
        if self.strides[-1] != self.dtype.itemsize:
            return None
        dtype = np.dtype(f"c{self.dtype.itemsize * 2}")
        return self._replace(shape=self.shape[:-1], strides=self.strides[:-1], dtype=dtype)

    def reinterpreted(self, dtype: np.dtype[Any]) -> Layout | None:
        """Returns the bits read in another dtype, along the last axis."""
        own, wanted = self.dtype.itemsize, dtype.itemsize
        if own == wanted:
            return self._replace(dtype=dtype)
        if not self.shape or self.strides[-1] != own or self.shape[-1] * own % wanted:
            return None
        return self._replace(
            shape=(*self.shape[:-1], self.shape[-1] * own // wanted),
            strides=(*self.strides[:-1], wanted),
            dtype=dtype,
        )

    def can_be(self, shape: tuple[int, ...]) -> bool:
        """Returns whether the elements can be seen in another shape without a copy; a scalar cannot."""
        return bool(self.shape) and self.reshaped(shape) is not None

    @property
    def in_order(self) -> bool:
        """Whether the elements lie in the order of their indices, without gaps."""
        size = self.dtype.itemsize
        for length, stride in zip(reversed(self.shape), reversed(self.strides)):
            if length != 1 and stride != size:
                return False
            size *= length
        return True

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))


def contiguous(spec: Spec) -> Layout:
    """Returns the layout of a tensor with memory of its own."""
    strides, size = [], spec.dtype.itemsize
    for length in reversed(spec.shape):
        strides.append(size)
        size *= length
    return Layout(0, tuple(spec.shape), tuple(reversed(strides)), spec.dtype)


def _steps_of(
    old: tuple[int, ...], strides: tuple[int, ...], new: tuple[int, ...], size: int
) -> tuple[int, ...] | None:
    """Returns the steps of elements in another shape: each run of axes without gaps is divided anew."""
    if 0 in old or not old:
        found = [size] * len(new)
        for i in range(len(new) - 2, -1, -1):
            found[i] = found[i + 1] * max(new[i + 1], 1)
        return tuple(found)
    result, at = [0] * len(new), len(new) - 1
    step, run, taken = strides[-1], 1, 1
    for axis in range(len(old) - 1, -1, -1):
        run *= old[axis]
        if axis and (old[axis - 1] == 1 or strides[axis - 1] == run * step):
            continue
        while at >= 0 and (taken < run or new[at] == 1):
            result[at] = taken * step
            taken *= new[at]
            at -= 1
        if taken != run:
            return None
        if axis:
            step, run, taken = strides[axis - 1], 1, 1
    return tuple(result) if at < 0 else None


class Overlap(NamedTuple):
    """The elements that one layout shows of another.

    `places` are their places in the first, None if it shows no others; `sources` those in the second, None
    if they are all of its elements in order.
    """

    places: np.ndarray[Any, Any] | None
    sources: np.ndarray[Any, Any] | None


def places_of(layout: Layout) -> np.ndarray[Any, Any]:
    """Returns the first byte of each element, in order."""
    found = np.full(layout.shape, layout.offset, np.int64)
    for axis, (length, step) in enumerate(zip(layout.shape, layout.strides)):
        found += (np.arange(length) * step).reshape([-1, *[1] * (len(layout.shape) - axis - 1)])
    return found.reshape(-1)


@lru_cache(maxsize=64)
def overlap(shown: Layout, written: Layout) -> Overlap | None:
    """Returns which elements of a layout are in another of the same dtype; None if none are."""
    if shown == written or (
        shown.offset == written.offset
        and shown.size == written.size
        and written.reshaped(shown.shape) == shown
    ):
        return Overlap(None, None)
    own, other = places_of(shown), places_of(written)
    if not own.size or not other.size:
        return None
    first = min(own.min(), other.min())
    where = np.full(max(own.max(), other.max()) - first + 1, -1, np.int64)
    where[other - first] = np.arange(other.size)
    sources = where[own - first]
    places = np.flatnonzero(sources >= 0)
    if not places.size:
        return None
    sources = sources[places]
    whole = sources.size == other.size and bool((sources == np.arange(other.size)).all())
    return Overlap(None if places.size == own.size else places, None if whole else sources)


def through_bytes(shown: Layout, value: Any, written: Layout, by: Any) -> np.ndarray[Any, Any]:
    """Returns the elements of a layout after those of another dtype in the same memory were written."""
    ends = [
        (int(places.min()), int(places.max()) + one.dtype.itemsize)
        for one in (shown, written)
        if (places := places_of(one)).size
    ]
    first = min((start for start, _ in ends), default=0)
    memory = np.zeros(max((stop for _, stop in ends), default=0) - first, np.uint8)
    for layout, array in ((shown, value), (written, by)):
        _window(memory, layout, first)[...] = np.asarray(array, layout.dtype).reshape(layout.shape)
    return np.array(_window(memory, shown, first))


def _window(memory: Any, layout: Layout, first: int) -> Any:
    return np.ndarray(layout.shape, layout.dtype, memory, layout.offset - first, layout.strides)


__all__ = ["Layout", "Overlap", "contiguous", "overlap", "places_of", "through_bytes"]
