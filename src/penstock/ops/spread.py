"""Convolutions of elements that are spread out, as several convolutions of the elements themselves.

The gradient by the input of a convolution with strides, and a transposed convolution, spread the elements of
their input and put zeros between. With two places from each to the next on two axes, three of four products
are products with such a zero. Results as many places apart as the elements meet the same part of the kernel:
each such set of results is a convolution with this part, without zeros.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Lengths = tuple[int, ...]
Pads = tuple[tuple[int, int], ...]

LARGE = 1 << 20
"""A convolution of fewer products, with zeros, is computed with these: one call is faster than several."""
MOST = 16
"""The most convolutions into which one is divided."""


class Part(NamedTuple):
    """Along one axis: where its results and its part of the kernel begin, and the padding that it needs."""

    place: int
    start: int
    taps: int
    pads: tuple[int, int]


def is_divided(
    x: Any, kernel: Any, made: Lengths, strides: Lengths, spread: Lengths, dilation: Lengths
) -> bool:
    """Returns whether a convolution, with a result of the shape `made`, is divided into several."""
    rank = len(spread)
    work = math.prod(one for one in made if isinstance(one, int)) * math.prod(kernel.shape[: rank + 1])
    alone = x.shape[-2] > 1 and x.shape[-1] == 1
    return 1 < math.prod(spread) <= MOST and max(*strides, *dilation) == 1 and work >= LARGE and not alone


def parts(length: int, window: int, before: int, made: int, step: int) -> list[Part]:
    """Returns the parts along an axis of `length` elements that are `step` places apart, `before` padded."""
    count = -(-made // step)
    found = []
    for place in range(step):
        start = (before - place) % step
        taps = len(range(start, window, step))
        low = (before - place - start) // step
        found.append(Part(place, start, taps, (low, count + taps - 1 - length - low)))
    return found


def divided(
    x: Any, kernel: Any, made: Lengths, padding: Pads, spread: Lengths, one: Callable[[Any, Any, Pads], Any]
) -> list[tuple[tuple[int, ...], Any]]:
    """Returns results of `one(x, kernel, padding)`, each with the place of its first element on every axis.

    Each has as many places on an axis as the longest. It is None if no element meets the kernel there.
    """
    axes = [
        parts(x.shape[1 + i], kernel.shape[i], padding[i][0], made[1 + i], step)
        for i, step in enumerate(spread)
    ]
    found = []
    for chosen in itertools.product(*axes):
        own = kernel[tuple(slice(part.start, None, step) for part, step in zip(chosen, spread, strict=True))]
        made_here = one(x, own, tuple(part.pads for part in chosen)) if own.size else None
        found.append((tuple(part.place for part in chosen), made_here))
    return found


def joined_numpy(
    results: list[tuple[tuple[int, ...], Any]], made: Lengths, spread: Lengths, dtype: Any
) -> Any:
    """Returns one NumPy array with the elements of all results in their places."""
    whole = np.zeros(made, dtype)
    for places, result in results:
        if result is not None:
            at = whole[(slice(None), *(slice(p, None, s) for p, s in zip(places, spread, strict=True)))]
            at[...] = result[tuple(slice(n) for n in at.shape)]
    return whole


def joined_xla(jax: Any, results: list[tuple[tuple[int, ...], Any]], made: Lengths, spread: Lengths) -> Any:
    """Does the same for JAX arrays."""
    rank = len(spread)
    known = next(result for _, result in results if result is not None)
    every = [jax.numpy.zeros_like(known) if result is None else result for _, result in results]
    stacked = jax.numpy.stack(every).reshape(*spread, *known.shape)
    # [steps, batch, places, groups, channels] to [batch, a place and a step for each axis, groups, channels]
    order = [rank, *(one for i in range(rank) for one in (rank + 1 + i, i)), 2 * rank + 1, 2 * rank + 2]
    lengths = [n * step for n, step in zip(known.shape[1:], spread, strict=False)]
    whole = stacked.transpose(order).reshape(known.shape[0], *lengths, *known.shape[-2:])
    return whole[(slice(None), *(slice(n) for n in made[1 : 1 + rank]))]
