"""Draws from the binomial distribution with Philox keys, as TensorFlow makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.incomplete import _tools
from penstock.ops.philox import is_key, uniforms_from
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec, spec

# Where fewer than 10 successes are expected: how many geometric numbers fit into the count. From there on by
# Hormann, "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46
# (1993): the constants are his. What is more probable than not is drawn as its failures.
_BORDER = 10.0
_BLOCKS = 256, 42
"""How many blocks lie between two draws, by the second way and by the first."""
_TAILS = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip
"""What Stirling's formula lacks of the logarithm of the factorial, for 0 to 9."""


def _tail(xp: Any, k: Any) -> Any:
    square = (k + 1.0) * (k + 1.0)
    far = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)
    near = xp.asarray(_TAILS)[xp.clip(k, 0.0, 9.0).astype(np.int32)]
    return xp.where(k <= 9.0, near, far)


def _drawn(jax: Any, key: Any, counts: Any, chances: Any, count: int) -> Any:
    """Returns [count, counts] numbers of successes in float64; NaN for a probability that is NaN."""
    xp, _, _, loop = _tools(jax)
    length = counts.shape[0]
    often = chances > 0.5
    # In the dtype that is given, as TensorFlow subtracts and multiplies them.
    rarer = xp.where(often, 1 - chances, chances)
    many = counts * rarer >= _BORDER
    counts, chances, rarer = (one.astype(np.float64) for one in (counts, chances, rarer))
    none, every = ~(counts > 0.0) | (chances <= 0.0), chances >= 1.0
    plain = none | every | xp.isnan(chances)
    n, p, q, many, often, none, every, plain = (
        xp.repeat(one, count) for one in (counts, chances, rarer, many, often, none, every, plain)
    )
    start = xp.arange(length * count, dtype=np.uint64) * xp.where(
        many, np.uint64(_BLOCKS[0]), np.uint64(_BLOCKS[1])
    )
    small = ~many
    # Harmless numbers where the other way is taken.
    low = xp.where(small & ~plain, q, 0.5)
    rate = xp.log1p(-low)
    big_n, big = xp.where(many & ~plain, n, 40.0), xp.where(many & ~plain, q, 0.5)
    deviation = xp.sqrt(big_n * big * (1.0 - big))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * big
    centre = big_n * big + 0.5
    ratio = big / (1.0 - big)
    alpha = (2.83 + 5.1 / b) * deviation
    m = xp.floor((big_n + 1.0) * big)

    def tried(state: Any) -> Any:
        done, result, number, total = state
        # Where numbers are taken singly, the second is not used: elsewhere each number is even.
        first, second = uniforms_from(xp, key, start, number)
        total = total + xp.ceil(xp.log(first) / rate)
        u = first - 0.5
        near = 0.5 - xp.abs(u)
        k = xp.floor((2.0 * a / near + b) * u + centre)
        inside = (near >= 0.07) & (second <= 0.92 - 4.2 / b)
        possible = (k >= 0.0) & (k <= big_n)
        safe = xp.where(possible, k, 0.0)
        share = xp.log(second * alpha / (a / (near * near) + b))
        bound = (
            (m + 0.5) * xp.log((m + 1.0) / (ratio * (big_n - m + 1.0)))
            + (big_n + 1.0) * xp.log((big_n - m + 1.0) / (big_n - safe + 1.0))
            + (safe + 0.5) * xp.log(ratio * (big_n - safe + 1.0) / (safe + 1.0))
            + (_tail(xp, m) + _tail(xp, big_n - m) - _tail(xp, safe) - _tail(xp, big_n - safe))
        )
        over = xp.where(small, total > n, inside | (possible & (share <= bound)))
        value = xp.where(small, xp.where(over, result, result + 1.0), xp.where(over, k, result))
        step = xp.where(small, np.uint64(1), np.uint64(2))
        return done | over, xp.where(done, result, value), number + step, total

    zeros = xp.zeros(n.shape, np.float64)
    begin = plain, zeros, xp.zeros(n.shape, np.uint64), zeros
    _, found, _, _ = loop(lambda state: ~state[0].all(), tried, begin)
    found = xp.where(often & ~plain, n - found, found)
    found = xp.where(xp.isnan(p) & ~none, np.nan, xp.where(every & ~none, n, found))
    return found.reshape(length, count).T


def _numpy(key: Any, counts: Any, chances: Any, count: int) -> Any:
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(_drawn(None, key, counts, chances, count))


def _shape(key: Spec, counts: Spec, chances: Spec, count: int) -> Spec:
    assert is_key(key) and counts.shape == chances.shape and counts.ndim == 1, (key, counts, chances)
    return spec((count, counts.shape[0]), np.float64)


philox_binomial = Primitive(
    "philox_binomial",
    shape=_shape,
    numpy=_numpy,
    xla=_drawn,
    derivative="flat",
    dtypes="real floating-point",
    common=(1, 2),
    # Probabilities up to a half: above it failures are drawn, and a count of 40.000001 shows in the rest.
    samples=lambda rng: [
        (
            np.asarray([7, 1, 9, 0, 1, 2], np.uint32),
            np.asarray(counts, np.float64),
            np.asarray(chances, np.float64),
            {"count": count},
        )
        for counts, chances, count in (([5.0, 40.0], [0.3, 0.45], 3), ([2.0], [0.5], 0), ([], [], 2))
    ],
)
