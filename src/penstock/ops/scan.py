"""Primitives that accumulate along an axis: running sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.shape import broadcast_to, concat, slice_
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor


def _scan(numpy: Any) -> Any:
    """Accumulates two-byte floating-point numbers as float32, and backwards if asked."""

    def scan(x: Any, axis: int, reverse: bool) -> Any:
        narrow = x.dtype.kind in "fV" and x.dtype.itemsize < 4
        x_in = np.flip(x, axis) if reverse else x
        y = numpy(x_in, axis=axis, dtype=np.float32 if narrow else x.dtype).astype(x.dtype)
        return np.flip(y, axis) if reverse else y

    return scan


def _scan_xla(name: str) -> Any:
    def scan(jax: Any, x: Any, axis: int, reverse: bool) -> Any:
        narrow = jax.numpy.issubdtype(x.dtype, jax.numpy.floating) and x.dtype.itemsize < 4
        wide = x.astype(np.float32) if narrow else x
        return getattr(jax.lax, name)(wide, axis=axis, reverse=reverse).astype(x.dtype)

    return scan


def _same(x: Spec, axis: int, reverse: bool) -> Spec:
    return x


def _samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.uniform(0.5, 1.5, (2, 5)), 2)
    return [
        (x, {"axis": 1, "reverse": False}),
        (x, {"axis": 0, "reverse": True}),
        (x[:1, :1], {"axis": 1, "reverse": False}),
        (np.zeros((0, 2)), {"axis": 0, "reverse": False}),
    ]


def _with_zeros(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    zeros = np.asarray([[1.5, 0.0, -2.0, 0.5], [0.0, 1.2, 0.0, 0.7]])
    return [*_samples(rng), (zeros, {"axis": 1, "reverse": False}), (zeros, {"axis": 1, "reverse": True})]


cumulative_sum: Primitive = Primitive(
    "cumulative_sum",
    shape=_same,
    numpy=_scan(np.cumsum),
    xla=_scan_xla("cumsum"),
    vjp=(lambda ct, y, x, axis, reverse: cumulative_sum(ct, axis=axis, reverse=not reverse),),
    dtypes="numeric",
    samples=_samples,
)


def _part(x: Tensor, axis: int, start: int, stop: int) -> Tensor:
    window = tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(x.shape))
    return slice_(x, window=window)


def _shifted(x: Tensor, axis: int, by: int, fill: float, reverse: bool) -> Tensor:
    """Moves x along an axis away from its start (with `reverse`, its end); `fill` comes in behind."""
    length = x.shape[axis]
    by = min(by, length)
    lengths = tuple(by if i == axis else n for i, n in enumerate(x.shape))
    filling = broadcast_to(cast(fill, dtype=x.dtype), shape=lengths)
    if reverse:
        return concat(_part(x, axis, by, length), filling, axis=axis)
    return concat(filling, _part(x, axis, 0, length - by), axis=axis)


def _cumulative_prod_vjp(ct: Tensor, y: Tensor, x: Tensor, axis: int, reverse: bool) -> Any:
    # Not y / x, which is not finite where an element is zero: what stands before an element, times the sum
    # over later outputs of what stands between, s[i] = ct[i] + x[i + 1] * s[i + 1], by doubling.
    before = _shifted(y, axis, 1, 1.0, reverse)
    total, factor = ct, _shifted(x, axis, 1, 0.0, not reverse)
    reach = 1
    while reach < x.shape[axis]:
        total = total + factor * _shifted(total, axis, reach, 0.0, not reverse)
        factor = factor * _shifted(factor, axis, reach, 0.0, not reverse)
        reach *= 2
    return before * total


cumulative_prod: Primitive = Primitive(
    "cumulative_prod",
    shape=_same,
    numpy=_scan(np.cumprod),
    xla=_scan_xla("cumprod"),
    vjp=(_cumulative_prod_vjp,),
    dtypes="numeric",
    samples=_with_zeros,
)
