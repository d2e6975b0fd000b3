"""Comparing floating-point numbers in XLA as NumPy does, to the last bit.

On the CPU, XLA treats subnormal numbers as zeros. In arithmetic this makes no visible difference, but `x ==
0` must not depend on the tier. So values that differ only in their bits are compared by their bits. That
costs almost nothing: comparisons are limited by memory bandwidth.
"""

from __future__ import annotations

from typing import Any


def _bits(jax: Any, x: Any) -> Any:
    whole = {2: jax.numpy.int16, 4: jax.numpy.int32, 8: jax.numpy.int64}[x.dtype.itemsize]
    return jax.lax.bitcast_convert_type(x, whole)


def _key(jax: Any, x: Any) -> Any:
    bits = _bits(jax, x)
    return jax.numpy.where(bits < 0, jax.numpy.iinfo(bits.dtype).min - bits, bits)


def _is_floating(x: Any) -> bool:
    return x.dtype.kind in "fV"


def order(jax: Any, x: Any, nan: str = "last") -> Any:
    """Returns integers in the order of x, NaN "last" or "first"; other dtypes are returned unchanged."""
    if not _is_floating(x):
        return x
    key = _key(jax, x)
    limits = jax.numpy.iinfo(key.dtype)
    return jax.numpy.where(jax.numpy.isnan(x), limits.max if nan == "last" else limits.min, key)


def equal(jax: Any, a: Any, b: Any) -> Any:
    """Returns whether a == b."""
    if a.dtype.kind == "c":
        return equal(jax, a.real, b.real) & equal(jax, a.imag, b.imag)
    if not _is_floating(a):
        return jax.numpy.equal(a, b)
    return (_key(jax, a) == _key(jax, b)) & ~jax.numpy.isnan(a)


def less(jax: Any, a: Any, b: Any) -> Any:
    """Returns whether a < b."""
    if not _is_floating(a):
        return jax.numpy.less(a, b)
    return (_key(jax, a) < _key(jax, b)) & ~jax.numpy.isnan(a) & ~jax.numpy.isnan(b)


def less_equal(jax: Any, a: Any, b: Any) -> Any:
    """Returns whether a <= b."""
    if not _is_floating(a):
        return jax.numpy.less_equal(a, b)
    return (_key(jax, a) <= _key(jax, b)) & ~jax.numpy.isnan(a) & ~jax.numpy.isnan(b)


def true(jax: Any, x: Any) -> Any:
    """Returns whether x counts as true: whether it is not 0."""
    return x if x.dtype.kind == "b" else ~equal(jax, x, jax.numpy.zeros((), x.dtype))
