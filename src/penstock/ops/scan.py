"""Primitives that accumulate along an axis: running sums, products, extremes, logarithms of sums of exp."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops import comparison_xla
from penstock.ops.gather import put_along_axis
from penstock.ops.pointwise import equal, exp, isfinite, where
from penstock.ops.shape import broadcast_to, concat, part_of
from penstock.ops.table import Kink, Primitive, cast, widened
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _scan(numpy: Any) -> Any:
    """Accumulates two-byte floating-point numbers as float32, and backwards on request."""

    def scan(x: Any, axis: int, reverse: bool) -> Any:
        narrow = x.dtype.kind in "fV" and x.dtype.itemsize < 4
        x_in = np.flip(x, axis) if reverse else x
        y = numpy(x_in, axis=axis, dtype=np.float32 if narrow else x.dtype).astype(x.dtype)
        return np.flip(y, axis) if reverse else y

    return scan


def _number(x: Any) -> Any:
    """Converts booleans to numbers, because JAX accumulates nothing else."""
    return x.astype(np.uint8) if x.dtype.kind == "b" else x


def _scan_xla(name: str) -> Any:
    def scan(jax: Any, x: Any, axis: int, reverse: bool) -> Any:
        narrow = jax.numpy.issubdtype(x.dtype, jax.numpy.floating) and x.dtype.itemsize < 4
        wide = x.astype(np.float32) if narrow else _number(x)
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


def _shifted(x: Tensor, axis: int, by: int, fill: float, reverse: bool) -> Tensor:
    """Shifts x along an axis away from its start (with `reverse`, its end), and fills in `fill`."""
    length = x.shape[axis]
    by = min(by, length)
    lengths = tuple(by if i == axis else n for i, n in enumerate(x.shape))
    filling = broadcast_to(cast(fill, dtype=x.dtype), shape=lengths)
    if reverse:
        return concat(part_of(x, axis, by, length), filling, axis=axis)
    return concat(filling, part_of(x, axis, 0, length - by), axis=axis)


def _from_later(ct: Tensor, factor: Tensor, axis: int, reverse: bool) -> Tensor:
    """Returns s[i] = ct[i] + factor[i] * s[i + 1] by doubling; s is 0 after the last."""
    total = ct
    reach = 1
    while reach < ct.shape[axis]:
        total = total + factor * _shifted(total, axis, reach, 0.0, not reverse)
        factor = factor * _shifted(factor, axis, reach, 0.0, not reverse)
        reach *= 2
    return total


def _cumulative_prod_vjp(ct: Tensor, y: Tensor, x: Tensor, axis: int, reverse: bool) -> Any:
    # Not y / x, which is not finite where an element is zero: the product before an element, times the sum
    # over later outputs of the product between, s[i] = ct[i] + x[i + 1] * s[i + 1].
    before = _shifted(y, axis, 1, 1.0, reverse)
    return before * _from_later(ct, _shifted(x, axis, 1, 0.0, not reverse), axis, reverse)


cumulative_prod: Primitive = Primitive(
    "cumulative_prod",
    shape=_same,
    numpy=_scan(np.cumprod),
    xla=_scan_xla("cumprod"),
    vjp=(widened("cumulative_prod", _cumulative_prod_vjp),),
    dtypes="numeric",
    samples=_with_zeros,
)


# -- extremes -------------------------------------------------------------------------------------------


def _ladder(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    """Draws distinct numbers, for derivatives."""
    x = np.round(rng.permutation(15).reshape(3, 5) / 7 - 0.8, 2)
    return [
        (x, {"axis": 1, "reverse": False}),
        (x, {"axis": 0, "reverse": True}),
        (np.zeros((0, 2)), {"axis": 0, "reverse": False}),
    ]


def _places(xp: Any, chosen: Any, axis: int, accumulate: Any) -> Any:
    """Returns the place of the last chosen one up to each element; the first of all is always chosen."""
    count = xp.arange(chosen.shape[axis], dtype=np.int64)
    lengths = tuple(-1 if i == axis else 1 for i in range(chosen.ndim))
    return accumulate(xp.where(chosen, count.reshape(lengths), 0), axis=axis)


def _running(name: str, extreme: str, kink: Kink) -> tuple[Primitive, Primitive]:
    """Makes the running extreme and its place: the last one of equal elements, including NaN."""
    accumulate = getattr(np, f"{extreme}imum").accumulate

    def places(x: Any, axis: int, reverse: bool) -> Any:
        x = x.astype(np.float32) if x.dtype.kind == "V" else x
        x = np.flip(x, axis) if reverse else x
        found = _places(np, (x == accumulate(x, axis=axis)) | (x != x), axis, np.maximum.accumulate)
        return np.flip(x.shape[axis] - 1 - found, axis) if reverse else found

    def places_xla(jax: Any, x: Any, axis: int, reverse: bool) -> Any:
        keys = comparison_xla.order(jax, _number(x), nan="last" if extreme == "max" else "first")
        keys = jax.numpy.flip(keys, axis) if reverse else keys
        chosen = keys == getattr(jax.lax, f"cum{extreme}")(keys, axis=axis)
        found = _places(jax.numpy, chosen, axis, jax.lax.cummax)
        return jax.numpy.flip(x.shape[axis] - 1 - found, axis) if reverse else found

    where_it_stands = Primitive(
        f"running_arg{extreme}",
        shape=lambda x, axis, reverse: spec(x.shape, np.int64),
        numpy=places,
        xla=places_xla,
        derivative="discrete",
        dtypes="real",
        samples=_ladder,
    )

    def vjp(ct: Tensor, y: Tensor, x: Tensor, axis: int, reverse: bool) -> Tensor:
        place = where_it_stands(x, axis=axis, reverse=reverse)
        return put_along_axis(ct, place, length=x.shape[axis], axis=axis)

    value = Primitive(
        name,
        shape=_same,
        numpy=_scan(accumulate),
        xla=_scan_xla(f"cum{extreme}"),
        vjp=(vjp,),
        dtypes="real",
        samples=_ladder,
        kinks=(kink,),
    )
    return value, where_it_stands


_LATEST = "of equal extremes the latest gets the gradient, as in PyTorch and PaddlePaddle"
cumulative_max, running_argmax = _running(
    "cumulative_max",
    "max",
    Kink(
        at=((2.0, 1.0, 2.0, 1.0),),
        gradients=((2.0, 0.0, 2.0, 0.0),),
        because=_LATEST,
        params={"axis": 0, "reverse": False},
    ),
)
cumulative_min, running_argmin = _running(
    "cumulative_min",
    "min",
    Kink(
        at=((1.0, 2.0, 1.0, 2.0),),
        gradients=((2.0, 0.0, 2.0, 0.0),),
        because=_LATEST,
        params={"axis": 0, "reverse": False},
    ),
)


# -- logarithms of sums of exp --------------------------------------------------------------------------


def _cumulative_logsumexp_vjp(ct: Tensor, y: Tensor, x: Tensor, axis: int, reverse: bool) -> Any:
    # exp(x[i]) times the sum over later outputs of ct * exp(-y), by differences that are never above 0:
    # s[i] = ct[i] + exp(y[i] - y[i + 1]) * s[i + 1], then exp(x[i] - y[i]) * s[i]. An infinite output is kept
    # out of its own difference, which would be NaN; where it is -inf, the operands are, and get 0. Shares are
    # as exact as outputs are: where those are 1000, by 0.00003 of their own in float32.
    later = _shifted(y, axis, 1, np.inf, not reverse)
    total = _from_later(ct, exp(where(isfinite(y), y - later, 0.0)), axis, reverse)
    return exp(where(equal(y, -np.inf), -np.inf, x - y)) * total


def _far_apart(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    spread = np.asarray([[-800.0, 0.5, 0.2, 900.0, -3.0], [-700.0, 2.5, 2.0, -750.0, 1.5]])
    return [*_samples(rng), (spread, {"axis": 1, "reverse": False}), (spread, {"axis": 1, "reverse": True})]


cumulative_logsumexp: Primitive = Primitive(
    "cumulative_logsumexp",
    shape=_same,
    numpy=_scan(np.logaddexp.accumulate),
    xla=_scan_xla("cumlogsumexp"),
    vjp=(_cumulative_logsumexp_vjp,),
    dtypes="real floating-point",
    samples=_far_apart,
)
