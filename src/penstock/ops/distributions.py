"""Random primitives of further distributions, by inverting their distribution functions, and permutations."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.random import _threefry, draw, is_key, rounded
from penstock.ops.special import wide
from penstock.ops.table import Primitive, broadcasting
from penstock.trace.spec import Spec, spec

FLOATS = (np.float64, np.float32, np.float16)


def _open(xp: Any, a: Any, b: Any, dtype: Any = None) -> Any:
    """Returns float64 values between 0 and 1, neither included: odd multiples of 2 ** -53."""
    high = a.astype(np.float64) * 1048576.0
    return (high + (b >> np.uint32(12)).astype(np.float64) + 0.5) / 4503599627370496.0


def _exponential(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    return -xp.log(_open(xp, a, b))


def _gumbel(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    return -xp.log(-xp.log(_open(xp, a, b)))


def _laplace(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    u = _open(xp, a, b)
    return xp.where(u < 0.5, xp.log(2.0 * u), -xp.log(2.0 * (1.0 - u)))


def _logistic(xp: Any, a: Any, b: Any, dtype: Any) -> Any:
    u = _open(xp, a, b)
    return xp.log(u) - xp.log1p(-u)


random_open = draw("random_open", _open, np.float64)
random_exponential = draw("random_exponential", _exponential, *FLOATS)
random_gumbel = draw("random_gumbel", _gumbel, *FLOATS)
random_laplace = draw("random_laplace", _laplace, *FLOATS)
random_logistic = draw("random_logistic", _logistic, *FLOATS)


def _permutation(xp: Any, key: Any, length: int) -> Any:
    a, b = _threefry(xp, key, length)
    words = (a.astype(np.uint64) << np.uint64(32)) | b.astype(np.uint64)
    return xp.argsort(words, stable=True).astype(np.int64)


def _permutation_shape(key: Spec, length: int) -> Spec:
    assert is_key(key), key
    return spec((*key.shape[:-1], length), np.int64)


def _permutation_numpy(key: Any, length: int) -> Any:
    with np.errstate(over="ignore"):
        return _permutation(np, key, length)


# The order of 64-bit random words: two of a million are equal once in forty million permutations.
random_permutation = Primitive(
    "random_permutation",
    shape=_permutation_shape,
    numpy=_permutation_numpy,
    xla=lambda jax, key, length: _permutation(jax.numpy, key, length),
    derivative="discrete",
    dtypes="own",
    samples=lambda rng: [(np.asarray([7, n, 9], np.uint32), {"length": n}) for n in (5, 1, 0)],
)


def _poisson(xp: Any, lower: Any, loop: Any, rate: Any, u: Any) -> Any:
    """Returns the smallest k for which a Poisson number is at most k with probability u, by bisection."""
    rate, u = xp.broadcast_arrays(rate, u)
    good = (rate > 0.0) & (rate < 1e9)
    inner = xp.where(good, rate, 1.0)
    low = xp.full_like(inner, -1.0)
    high = xp.ceil(inner + 12.0 * xp.sqrt(inner) + 60.0)

    def step(state: Any) -> Any:
        low, high = state
        middle = xp.floor(0.5 * (low + high))
        # A Poisson number is at most k with probability 1 - P(k + 1, rate).
        reached = 1.0 - lower(middle + 1.0, inner) >= u
        open_ = high - low > 1.5
        return xp.where(open_ & ~reached, middle, low), xp.where(open_ & reached, middle, high)

    def go_on(state: Any) -> Any:
        return xp.any(state[1] - state[0] > 1.5)

    _, found = loop(go_on, step, (low, high))
    found = xp.where(u < 1.0, xp.where(u > 0.0, found, 0.0), xp.where(u >= 1.0, xp.inf, xp.nan))
    return xp.where(good, found, xp.where(rate == 0.0, 0.0, -1.0))


def _loop(go_on: Any, step: Any, state: Any) -> Any:
    while go_on(state):
        state = step(state)
    return state


def _poisson_numpy(xp: Any, rate: Any, u: Any) -> Any:
    # Its series are tables: imported only to draw counts.
    from penstock.ops.incomplete import gammainc

    def lower(a: Any, x: Any) -> Any:
        return gammainc.numpy(a, x, order=0, upper=False)

    return _poisson(np, lower, _loop, rate, u)


def _poisson_xla(jax: Any, rate: Any, u: Any) -> Any:
    from penstock.ops.incomplete import gammainc

    rule: Any = gammainc.xla

    def lower(a: Any, x: Any) -> Any:
        return rule(jax, a, x, order=0, upper=False)

    found = _poisson(jax.numpy, lower, jax.lax.while_loop, rate.astype(np.float64), u.astype(np.float64))
    return rounded(found, rate.dtype)


poisson_quantile = Primitive(
    "poisson_quantile",
    shape=broadcasting("poisson_quantile"),
    numpy=wide(_poisson_numpy),
    xla=_poisson_xla,
    derivative="flat",
    dtypes="real floating-point",
    samples=lambda rng: [
        (np.asarray([0.4, 3.0, 60.0]), np.asarray([[0.31], [0.77]])),
        (np.asarray([0.4, 3.0]), np.zeros((0, 1))),
    ],
)
