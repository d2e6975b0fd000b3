"""Draws from the gamma distribution with Philox keys, by rejection, as TensorFlow makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.ops.philox import _wide_polar, is_key, uniforms_of, words_of
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec, spec

# Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000): a normal number x
# is taken by a uniform one, u. Blocks give two numbers of either kind; the second one is taken first.


def _normals(xp: Any, words: Any) -> tuple[Any, Any]:
    radius, angle = _wide_polar(xp, *words)
    return xp.sin(angle) * radius, xp.cos(angle) * radius


def _drawn(xp: Any, loop: Callable[..., Any], key: Any, concentration: Any, count: int) -> Any:
    """Returns [count, concentrations] draws in float64."""
    length = concentration.shape[0]
    a = xp.repeat(concentration.astype(np.float64), count)
    # Each draw has 256 blocks of its own.
    start = xp.arange(length * count, dtype=np.uint64) * np.uint64(256)
    small = a < 1.0
    d = a + xp.where(small, 2.0 / 3.0, -1.0 / 3.0)
    c = 1.0 / 3.0 / xp.sqrt(d)

    def words(block: Any) -> Any:
        return words_of(xp, key, start + block)

    def tried(state: Any) -> Any:
        done, result, block, has_x, next_x, has_u, next_u = state
        first, second = _normals(xp, words(block))
        x = xp.where(has_x, next_x, second)
        after = block + (~has_x).astype(np.uint64)
        v = 1.0 + c * x
        able = v > 0.0
        v = v * v * v
        low, high = uniforms_of(words(after))
        u = xp.where(has_u, next_u, high)
        last = after + (able & ~has_u).astype(np.uint64)
        safe, above = xp.where(able, v, 1.0), xp.maximum(u, 1e-300)
        squeezed = u < 1.0 - 0.0331 * (x * x) * (x * x)
        taken = able & (squeezed | (xp.log(above) < 0.5 * x * x + d * (1.0 - safe + xp.log(safe))))

        def kept(old: Any, new: Any) -> Any:
            return xp.where(done, old, new)

        return (
            done | taken,
            kept(result, xp.where(taken, d * v, result)),
            kept(block, last),
            kept(has_x, ~has_x),
            kept(next_x, first),
            kept(has_u, xp.where(able, ~has_u, has_u)),
            kept(next_u, xp.where(able & ~has_u, low, next_u)),
        )

    no, zero = xp.zeros(a.shape, bool), xp.zeros(a.shape, np.float64)
    # What is no concentration has no draw.
    wrong = ~((a > 0.0) & (a < np.inf))
    state = (wrong, xp.where(wrong, np.nan, zero), xp.zeros(a.shape, np.uint64), no, zero, no, zero)
    _, result, block, _, _, has_u, next_u = loop(lambda one: ~one[0].all(), tried, state)
    power = xp.where(has_u, next_u, uniforms_of(words(block))[1])
    result = xp.where(small, result * power ** (1.0 / xp.where(small, a, 1.0)), result)
    exponential = -xp.log1p(-uniforms_of(words(xp.zeros(a.shape, np.uint64)))[1])
    return xp.where(a == 1.0, exponential, result).reshape(length, count).T


def _numpy_loop(goes_on: Callable[[Any], Any], step: Callable[[Any], Any], state: Any) -> Any:
    while goes_on(state):
        state = step(state)
    return state


def _numpy(key: Any, concentration: Any, count: int) -> Any:
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(_drawn(np, _numpy_loop, key, concentration, count))


def _shape(key: Spec, concentration: Spec, count: int) -> Spec:
    assert is_key(key) and key.ndim == concentration.ndim == 1, (key, concentration)
    return spec((count, concentration.shape[0]), np.float64)


philox_gamma = Primitive(
    "philox_gamma",
    shape=_shape,
    numpy=_numpy,
    xla=lambda jax, key, concentration, count: _drawn(
        jax.numpy, jax.lax.while_loop, key, concentration, count
    ),
    derivative="wall",
    dtypes="real floating-point",
    common=(1,),
    samples=lambda rng: [
        (np.asarray([7, 1, 9, 0, 1, 2], np.uint32), np.asarray(values), {"count": count})
        for values, count in (([0.4, 1.0, 7.5], 3), ([2.0], 0), ([], 2))
    ],
)
