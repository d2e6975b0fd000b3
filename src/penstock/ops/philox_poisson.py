"""Draws from the Poisson distribution with Philox keys, as TensorFlow makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.incomplete import _tools
from penstock.ops.philox import is_key, uniforms_from
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec, spec

# Below a rate of 10 by Knuth, "The Art of Computer Programming", volume 2: how many uniform numbers can be
# multiplied before they come to exp(-rate). From there on by Hormann, "The transformed rejection method for
# generating Poisson random variables", Insurance: Mathematics and Economics 12 (1993): the constants are his.
_BORDER = 10.0


def _drawn(jax: Any, key: Any, rates: Any, count: int) -> Any:
    """Returns [count, rates] counts in float64; -1 for an invalid rate."""
    xp, lgamma_of, _, loop = _tools(jax)
    length = rates.shape[0]
    rate = xp.repeat(rates.astype(np.float64), count)
    start = xp.arange(length * count, dtype=np.uint64) * np.uint64(256)
    good = (rate >= 0.0) & (rate < 1e9)
    small = rate < _BORDER
    low = xp.where(small & good, rate, 1.0)
    high = xp.where(small | ~good, _BORDER, rate)
    end = xp.exp(-low)
    b = 0.931 + 2.53 * xp.sqrt(high)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    logarithm = xp.log(high)

    def tried(state: Any) -> Any:
        done, result, number, product = state
        # Where numbers are taken singly, the second is not used: elsewhere each number is even.
        first, second = uniforms_from(xp, key, start, number)
        product = product * xp.where(small, first, 1.0)
        u = first - 0.5
        near = 0.5 - xp.abs(u)
        k = xp.floor((2.0 * a / near + b) * u + high + 0.43)
        inside = (near >= 0.07) & (second <= 0.9277 - 3.6224 / (b - 2.0))
        outside = (k < 0.0) | ((near < 0.013) & (second > near))
        safe = xp.maximum(k, 0.0)
        share = xp.maximum(second, 1e-30) * inverse / (a / (near * near) + b)
        there = xp.log(share) <= -high + safe * logarithm - lgamma_of(safe + 1.0)
        accepted = inside | (~outside & there)
        over = xp.where(small, product <= end, accepted)
        value = xp.where(small, xp.where(over, result, result + 1.0), xp.where(over, k, result))
        step = xp.where(small, np.uint64(1), np.uint64(2))
        return done | over, xp.where(done, result, value), number + step, product

    begin = (
        ~good,
        xp.where(good, 0.0, -1.0),
        xp.zeros(rate.shape, np.uint64),
        xp.ones(rate.shape, np.float64),
    )
    _, found, _, _ = loop(lambda state: ~state[0].all(), tried, begin)
    return found.reshape(length, count).T


def _numpy(key: Any, rates: Any, count: int) -> Any:
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(_drawn(None, key, rates, count))


def _shape(key: Spec, rates: Spec, count: int) -> Spec:
    assert is_key(key) and len(key.shape) == len(rates.shape) == 1, (key, rates)
    return spec((count, rates.shape[0]), np.float64)


philox_poisson = Primitive(
    "philox_poisson",
    shape=_shape,
    numpy=_numpy,
    xla=_drawn,
    derivative="flat",
    dtypes="real floating-point",
    common=(1,),
    samples=lambda rng: [
        (np.asarray([7, 1, 9, 0, 1, 2], np.uint32), np.asarray(values, np.float64), {"count": count})
        for values, count in (([0.4, 9.0, 70.5], 3), ([2.0], 0), ([], 2))
    ],
)
