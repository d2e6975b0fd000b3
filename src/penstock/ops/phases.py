"""Reductions on the processor: in phases, where a single loop would be slow or inexact.

XLA makes one nest of loops for each element of the result. Over the axes before one that is kept, such as a
batch and its positions, the innermost loop then jumps through memory, thirty times slower than necessary; and
one long loop adds small numbers to a large one, which loses digits. XLA also applies its own remedy, a tree
of windows, to rows, where it is slower: it is turned off (tiers/libraries.py), and used here by hand.

NumPy adds adjacent elements in pairs, but rows one after another, so that a mean over a batch, or over the
positions of a convolution whose channels are adjacent, would lose as many digits, and a variance more.

Into a reduction over rows XLA would also fuse without a limit: the loop would compute its operand from
everything behind it, for a residual network the gradients of every later block. Nothing is fused into a
window.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

SMALL = 1 << 12
"""An operand of no more elements than this is reduced at once."""
NEAR = 32
"""The most elements of different rows that one loop combines: more, a power of two apart, evict each other
from the cache."""
ROW = SMALL // 2
"""The most adjacent elements that one loop combines: an operand that is not small has two such rows."""
MANY = 256
"""The most sums of rows that a matrix product adds up, since it adds them one after another."""
IN_ORDER = 1 << 12
"""NumPy adds no more rows than this one after another. PaddlePaddle adds the rows of a bias's gradient like
that, to the same bits, and Adam enlarges any difference. Of half a million rows four digits would be left."""
SHORT = 16
"""A row of no more elements than this is combined as it is."""
UNROLLED = 72
"""Up to this length XLA writes out a loop along a row: addition after addition, no vector instructions."""
FOLDS = 2
"""How often a row is folded at most: what computes its elements is compiled for each of the parts, and beyond
fifteen XLA would store the elements instead."""

Axes = tuple[int, ...]


def summed(jax: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    """Returns the sum of a JAX array of real floating-point numbers over some axes."""
    if not _worth_it(jax, x):
        return jax.numpy.sum(x, axis=axes, keepdims=keepdims, dtype=x.dtype)
    left = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    runs = _runs(x.shape, axes)
    several = [i in axes for i, n in enumerate(x.shape) if n > 1][-2:] == [True, True]
    x = x.reshape([length for length, _ in runs])
    phased = False
    for place in reversed(range(len(runs))):
        if not runs[place][1]:
            continue
        if place == len(runs) - 1:
            x, phased = _row_sum(jax, x, several), True
        elif phased:
            # The remaining rows are added up separately: in a joint loop everything would be as slow.
            x = _against_ones(jax, x, place)
        else:
            x, phased = _sum_of_rows(jax, x, place), True
    return x.reshape(left)


def added(x: Any, axes: Axes, keepdims: bool) -> Any:
    """Returns the sum of a NumPy array of floating-point numbers over some axes, rows added up in groups.

    Adds the elements in an order that their places in memory give, and does not copy them.
    """
    if not axes or (len(axes) == x.ndim and x.flags.c_contiguous):
        return x.sum(axis=axes, keepdims=keepdims)
    order = sorted(range(x.ndim), key=lambda i: -x.strides[i])
    laid = x.transpose(order)
    kept = {i for i in range(x.ndim) if i not in axes}
    if not laid.flags.c_contiguous or not kept or order[-1] not in kept:
        return x.sum(axis=axes, keepdims=keepdims)
    runs = _runs(laid.shape, tuple(place for place, i in enumerate(order) if i in axes))
    laid = laid.reshape([length for length, _ in runs])
    for place in reversed(range(len(runs))):
        if runs[place][1]:
            laid = _added_rows(laid, place)
    laid = laid.reshape([x.shape[i] if i in kept else 1 for i in order])
    laid = laid.transpose(sorted(range(x.ndim), key=lambda place: order[place]))
    return laid if keepdims else laid.reshape([x.shape[i] for i in range(x.ndim) if i in kept])


def _added_rows(x: Any, place: int) -> Any:
    """Returns the sum of an array over one axis, with that axis of length 1; long ones by groups of rows."""
    rows = x.shape[place]
    if rows <= NEAR:
        return x.sum(axis=place, keepdims=True)
    size = math.isqrt(rows)
    whole = rows - rows % size
    before, behind = x.shape[:place], x.shape[place + 1 :]
    at = (slice(None),) * place
    groups = x[(*at, slice(whole))].reshape(*before, whole // size, size, *behind).sum(axis=place + 1)
    total = groups.sum(axis=place, keepdims=True)
    if whole < rows:
        total += x[(*at, slice(whole, None))].sum(axis=place, keepdims=True)
    return total


def extreme(jax: Any, name: str, x: Any, axes: Axes, keepdims: bool) -> Any:
    """Returns the largest or smallest elements (`name` is "max" or "min") of a JAX array over some axes."""
    function, combine = getattr(jax.numpy, name), getattr(jax.lax, name)
    if x.dtype.kind != "f" or not _worth_it(jax, x):
        return function(x, axis=axes, keepdims=keepdims)
    left = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    runs = _runs(x.shape, axes)
    if len(axes) > 1 and [gone for _, gone in runs] in ([True], [False, True]):
        rows = x.reshape([length for length, _ in runs])
        return _folded(combine, function, rows).reshape(left)
    if [gone for _, gone in runs] != [True, False] or runs[0][0] <= NEAR:
        return function(x, axis=axes, keepdims=keepdims)
    start = np.asarray(-np.inf if name == "max" else np.inf, x.dtype)
    x = _windows(jax, combine, start, x.reshape([length for length, _ in runs]), 0)
    return function(x, axis=0).reshape(left)


def _worth_it(jax: Any, x: Any) -> bool:
    # A length that JAX does not know yet is not an int: no choice depends on it.
    return isinstance(x.size, int) and x.size > SMALL and bool(jax.default_backend() == "cpu")


def _runs(shape: tuple[int, ...], axes: Axes) -> list[tuple[int, bool]]:
    """Merges neighbouring axes that are all reduced or all kept; returns lengths and which are reduced."""
    runs: list[tuple[int, bool]] = []
    for i, n in enumerate(shape):
        gone = i in axes
        if n == 1:
            continue
        if runs and runs[-1][1] == gone:
            runs[-1] = (runs[-1][0] * n, gone)
        else:
            runs.append((n, gone))
    return runs


def _row_sum(jax: Any, x: Any, several: bool) -> Any:
    """Returns the sum over the last axis, whose elements are adjacent in memory, and were `several` axes."""
    length = x.shape[-1]
    if several and UNROLLED < length <= ROW:
        # XLA would loop over the axes that the row had before it was reshaped, without vector instructions,
        # but not if it is a slice of them. Folding takes as long, but only if the elements are in the cache.
        main = (length - 1) // SHORT * SHORT
        return jax.numpy.sum(x[..., :main], axis=-1) + jax.numpy.sum(x[..., main:], axis=-1)
    if length <= ROW:
        return _folded(jax.lax.add, jax.numpy.sum, x)
    # A product of two vectors becomes a loop, which XLA then merges with the loops over the blocks. If no
    # axis is kept, the blocks are divided into two halves, whose sums are a matrix times a vector.
    parts = (2,) if x.ndim == 1 else x.shape[:-1]
    both = 2 if x.ndim == 1 else 1
    # At least one element is left over. XLA would remove a slice of all elements, and loop over the axes
    # that the operand had before it was reshaped: without vector instructions, or with a division each time.
    count = (length - 1) // (both * ROW)
    main = both * count * ROW
    blocks = jax.numpy.sum(x[..., :main].reshape(*parts, count, ROW), axis=-1)
    found = _against_ones(jax, blocks, blocks.ndim - 1)
    if x.ndim == 1:
        found = jax.numpy.sum(found)
    for start in range(main, length, ROW):
        found = found + jax.numpy.sum(x[..., start : start + ROW], axis=-1)
    return found


def _folded(combine: Callable[..., Any], reduce: Callable[..., Any], x: Any) -> Any:
    """Reduces the last axis; combines the halves of each row first, and then the halves of those."""
    rest: list[Any] = []
    for _ in range(FOLDS):
        length = x.shape[-1]
        if length <= SHORT:
            break
        half = length // 2
        if length % 2:
            rest.append(x[..., -1])
        x = combine(x[..., :half], x[..., half : 2 * half])
    return functools.reduce(combine, rest, reduce(x, axis=-1))


def _sum_of_rows(jax: Any, x: Any, place: int) -> Any:
    """Returns the sum over an axis with others after it."""
    zero = np.zeros((), x.dtype)
    x = _windows(jax, jax.lax.add, zero, x, place)
    if x.shape[place] > MANY:
        x = _windows(jax, jax.lax.add, zero, x, place)
    return x.squeeze(place) if x.shape[place] == 1 else _against_ones(jax, x, place)


def _against_ones(jax: Any, x: Any, place: int) -> Any:
    """Returns the sum over an axis as a matrix product, into which XLA fuses nothing."""
    ones = jax.numpy.ones(x.shape[place], x.dtype)
    return jax.lax.dot_general(x, ones, (((place,), (0,)), ((), ())), precision=jax.lax.Precision.HIGHEST)


def _windows(jax: Any, combine: Callable[..., Any], start: Any, x: Any, place: int) -> Any:
    """Combines each `NEAR` neighbours along an axis."""
    near = min(NEAR, x.shape[place])
    window = tuple(near if i == place else 1 for i in range(x.ndim))
    more = tuple((0, -x.shape[i] % near) if i == place else (0, 0) for i in range(x.ndim))
    return jax.lax.reduce_window(x, start, combine, window, window, more)


__all__ = ["extreme", "summed"]
