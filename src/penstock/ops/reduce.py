"""Primitives that reduce axes: sums, products, extremes, any and all, positions of extremes."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops import comparison_xla, phases
from penstock.ops.pointwise import equal, stop_gradient, where
from penstock.ops.shape import broadcast_to, concat, reshape, slice_, transpose
from penstock.ops.table import Kink, Primitive, cast, widened
from penstock.ops.validation import wholes
from penstock.trace.lengths import maximum, real
from penstock.trace.source_site import here
from penstock.trace.spec import Shape, Spec, spec
from penstock.trace.tensor import Tensor

Axes = tuple[int, ...]


def normalize_axes(name: str, axis: int | tuple[int, ...] | None, shape: Shape) -> Axes:
    """Returns the axes as non-negative numbers, in order; raises ShapeError for one that does not exist."""
    rank = len(shape)
    if axis is None:
        return tuple(range(rank))
    axes = wholes(f"{name}: axis", axis)
    for one in axes:
        if not -rank <= one < rank:
            raise ShapeError(
                f"{name}: axis {one} is not among the {rank} axes of shape {shape}.",
                remedy=f"Axes run from {-rank} to {rank - 1}." if rank else "A scalar has no axes.",
                site=here(),
            )
    found = tuple(sorted({int(one) % rank for one in axes}))
    if len(found) != len(axes):
        raise ShapeError(
            f"{name}: axis {axis} names the same axis of shape {shape} twice.",
            remedy="Name each once.",
            site=here(),
        )
    return found


def reduced(shape: Shape, axes: Axes, keepdims: bool) -> Shape:
    """Returns the shape that remains after a reduction of these axes."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _shape(x: Spec, axes: Axes, keepdims: bool) -> Spec:
    return spec(reduced(x.shape, axes, keepdims), x.dtype)


def _boolean_shape(x: Spec, axes: Axes, keepdims: bool) -> Spec:
    return spec(reduced(x.shape, axes, keepdims), np.bool_)


def _spread(value: Tensor, x: Tensor, axes: Axes) -> Tensor:
    """Restores the axes of a reduced value, so that it lines up with the operand."""
    return broadcast_to(reshape(value, shape=reduced(x.shape, axes, True)), shape=x.shape)


def _samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.permutation(24).reshape(2, 3, 4) / 7 - 1.5, 2)
    return [
        (x, {"axes": (0, 1, 2), "keepdims": False}),
        (x, {"axes": (1,), "keepdims": True}),
        (x, {"axes": (0, 2), "keepdims": False}),
        (x[0, 0, 0], {"axes": (), "keepdims": False}),
    ]


def _with_empty(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    return [*_samples(rng), (np.zeros((0, 2)), {"axes": (0,), "keepdims": False})]


def _beside_empty(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    return [*_samples(rng), (np.zeros((2, 0)), {"axes": (0,), "keepdims": False})]


def _accumulated(numpy: Any) -> Any:
    """Adds up (or multiplies) two-byte floating-point numbers as float32; see `_accumulated_in_xla`."""

    def reduce(x: Any, axes: Axes, keepdims: bool) -> Any:
        narrow = x.dtype.kind in "fV" and x.dtype.itemsize < 4
        wide = np.dtype(np.float32) if narrow else x.dtype
        return np.asarray(numpy(x, axis=axes, keepdims=keepdims, dtype=wide), x.dtype)

    return reduce


def _accumulated_in_xla(function: Any) -> Any:
    """Does the same in XLA, which would otherwise add up half precision in half precision."""

    def reduce(jax: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
        if x.dtype.kind not in "fV" or x.dtype.itemsize >= 4:
            return function(jax, x, axes, keepdims)
        return function(jax, x.astype(np.float32), axes, keepdims).astype(x.dtype)

    return reduce


def _sum_xla(jax: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    if x.dtype.kind == "f":
        return phases.summed(jax, x, axes, keepdims)
    return jax.numpy.sum(x, axis=axes, keepdims=keepdims, dtype=x.dtype)


def _mean_xla(jax: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    if x.dtype.kind != "f" or not x.size:
        return jax.numpy.mean(x, axis=axes, keepdims=keepdims, dtype=x.dtype)
    count = math.prod(x.shape[axis] for axis in axes)
    # A length that JAX does not know yet is not an int.
    divisor = np.asarray(count, x.dtype) if isinstance(count, int) else jax.numpy.asarray(count, x.dtype)
    return phases.summed(jax, x, axes, keepdims) / divisor


def _prod_xla(jax: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    return jax.numpy.prod(x, axis=axes, keepdims=keepdims, dtype=x.dtype)


def _sum_numpy(x: Any, axis: Axes, keepdims: bool, dtype: Any) -> Any:
    if dtype.kind == "f" and math.prod(x.shape[one] for one in axis) > phases.IN_ORDER:
        return phases.added(x.astype(dtype, copy=False), axis, keepdims)
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=dtype)


def _average_numpy(x: Any, axis: Axes, keepdims: bool, dtype: Any) -> Any:
    # Before a sum is grouped it has more rows: see phases.IN_ORDER.
    if x.size > phases.SMALL and dtype.kind == "f":
        count = math.prod(x.shape[one] for one in axis)
        return phases.added(x.astype(dtype, copy=False), axis, keepdims) / np.asarray(count, dtype)
    return np.mean(x, axis=axis, keepdims=keepdims, dtype=dtype)


sum: Primitive = Primitive(
    "sum",
    shape=_shape,
    numpy=_accumulated(_sum_numpy),
    xla=_accumulated_in_xla(_sum_xla),
    vjp=(lambda ct, y, x, axes, keepdims: _spread(ct, x, axes),),
    dtypes="numeric",
    samples=_with_empty,
)


def _mean_vjp(ct: Tensor, y: Tensor, x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    count = math.prod(x.shape[axis] for axis in axes)
    return _spread(ct / real(maximum(count, 1)), x, axes)


def _mean_numpy(x: Any, axes: Axes, keepdims: bool) -> Any:
    if x.size == 0:
        return np.full(reduced(x.shape, axes, keepdims), np.nan, x.dtype)
    return _accumulated(_average_numpy)(x, axes, keepdims)


mean = Primitive(
    "mean",
    shape=_shape,
    numpy=_mean_numpy,
    xla=_accumulated_in_xla(_mean_xla),
    vjp=(_mean_vjp,),
    dtypes="floating-point",
    samples=_beside_empty,
)


def _nonempty(name: str, shape: Shape, axes: Axes) -> None:
    if builtins.any(shape[axis] == 0 for axis in axes):
        raise ShapeError(
            f"{name}: an axis of shape {shape} is empty, so it has no {name}.",
            remedy="Skip empty data, or reduce with sum or mean.",
        )


def _extreme_vjp(ct: Tensor, y: Tensor, x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    chosen = equal(x, _spread(y, x, axes))
    ties = sum(cast(chosen, dtype=x.dtype), axes=axes, keepdims=keepdims)
    # NaN is equal to nothing. The result for the others is then NaN, as in TensorFlow, PyTorch and JAX; it is
    # computed explicitly, because XLA treats 0 times an infinity as 0 if the 0 is a comparison.
    others = where(equal(ties, 0.0), np.nan, 0.0)
    return where(chosen, _spread(ct / ties, x, axes), _spread(cast(others, dtype=x.dtype), x, axes))


def _extreme(name: str, numpy: Any) -> Primitive:
    def shape(x: Spec, axes: Axes, keepdims: bool) -> Spec:
        _nonempty(name, x.shape, axes)
        return _shape(x, axes, keepdims)

    return Primitive(
        name,
        shape=shape,
        numpy=lambda x, axes, keepdims: numpy(x, axis=axes, keepdims=keepdims),
        xla=lambda jax, x, axes, keepdims: phases.extreme(jax, name, x, axes, keepdims),
        vjp=(_extreme_vjp,),
        dtypes="real",
        samples=_beside_empty,
        kinks=(
            Kink(
                at=((1.0, 1.0),),
                gradients=((0.5, 0.5),),
                because="equal extremes share the gradient",
                params={"axes": (0,), "keepdims": False},
            ),
        ),
    )


max = _extreme("max", np.max)
min = _extreme("min", np.min)


def ceiling(x: Tensor, axes: Axes) -> Tensor:
    """Returns the numbers to subtract from x before exp: its largest elements, keeping the axes, no gradient.

    For an empty axis it is 0, so that a sum of exp over no element is 0.
    """
    empty = builtins.any(x.shape[axis] == 0 for axis in axes)
    return stop_gradient((sum if empty else max)(x, axes=axes, keepdims=True))


def _others(x: Tensor) -> Tensor:
    """Returns, along the last axis, the product of all the other elements, without a division.

    Pairs are multiplied, the products are treated recursively, and each result is multiplied by the partner.
    """
    *batch, length = x.shape
    if length < 2:
        return broadcast_to(cast(1.0, dtype=x.dtype), shape=x.shape)
    if length % 2:
        x = concat(x, broadcast_to(cast(1.0, dtype=x.dtype), shape=(*batch, 1)), axis=len(batch))
    everything = tuple((0, n, 1) for n in batch)
    half = (length + 1) // 2
    left = slice_(x, window=(*everything, (0, half, 1)))
    right = slice_(x, window=(*everything, (half, 2 * half, 1)))
    rest = _others(left * right)
    both = concat(rest * right, rest * left, axis=len(batch))
    return both if both.shape[-1] == length else slice_(both, window=(*everything, (0, length, 1)))


def _prod_vjp(ct: Tensor, y: Tensor, x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    # Not y / x, which is not finite where an element is zero. This consists of products and has every
    # derivative.
    kept = tuple(axis for axis in range(len(x.shape)) if axis not in axes)
    order = kept + axes
    lengths = tuple(x.shape[axis] for axis in kept)
    rows = reshape(transpose(x, axes=order), shape=(*lengths, math.prod(x.shape[axis] for axis in axes)))
    moved = reshape(_others(rows), shape=tuple(x.shape[axis] for axis in order))
    back = tuple(int(axis) for axis in np.argsort(order))
    return _spread(ct, x, axes) * transpose(moved, axes=back)


def _prod_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    zeros = np.asarray([[0.0, 1.5, -2.0, 0.5, 3.0], [0.0, 0.0, 1.2, 0.7, 1.0], [1.1, 0.9, 0.8, 0.7, 2.0]])
    return [*_with_empty(rng), (zeros, {"axes": (1,), "keepdims": False})]


prod = Primitive(
    "prod",
    shape=_shape,
    numpy=_accumulated(np.prod),
    xla=_accumulated_in_xla(_prod_xla),
    vjp=(widened("prod", _prod_vjp),),
    dtypes="numeric",
    samples=_prod_samples,
)


def _logical(name: str, numpy: Any) -> Primitive:
    return Primitive(
        name,
        shape=_boolean_shape,
        numpy=lambda x, axes, keepdims: numpy(x, axis=axes, keepdims=keepdims),
        xla=lambda jax, x, axes, keepdims: getattr(jax.numpy, name)(
            comparison_xla.true(jax, x), axis=axes, keepdims=keepdims
        ),
        derivative="discrete",
        dtypes="own",
        samples=_with_empty,
    )


all = _logical("all", np.all)
any = _logical("any", np.any)


def _position(name: str, numpy: Any, nan: str, least: float) -> Primitive:
    """Returns a primitive of positions: a NaN is found first, or, with `skips_nan`, counts as `least`."""

    def shape(x: Spec, axis: int, dtype: Any, skips_nan: bool = False) -> Spec:
        _nonempty(name, x.shape, (axis,))
        return spec(reduced(x.shape, (axis,), False), dtype)

    def position(x: Any, axis: int, dtype: Any, skips_nan: bool = False) -> Any:
        found = numpy(x, axis=axis)
        if skips_nan and x.dtype.kind not in "biu":
            # NumPy finds a NaN where there is one.
            best = np.take_along_axis(x, np.expand_dims(found, axis), axis)
            if np.isnan(best).any():
                found = numpy(np.where(np.isnan(x), x.dtype.type(least), x), axis=axis)
        return found.astype(dtype)

    def position_xla(jax: Any, x: Any, axis: int, dtype: Any, skips_nan: bool = False) -> Any:
        if skips_nan and jax.numpy.issubdtype(x.dtype, jax.numpy.floating):
            x = jax.numpy.where(jax.numpy.isnan(x), x.dtype.type(least), x)
        return getattr(jax.lax, name)(comparison_xla.order(jax, x, nan), axis, dtype)

    return Primitive(
        name,
        shape=shape,
        numpy=position,
        xla=position_xla,
        derivative="discrete",
        dtypes="real",
        samples=lambda rng: [
            (np.round(rng.standard_normal((3, 4)), 2), {"axis": 1, "dtype": np.dtype(np.int64)}),
            (np.zeros((3, 0)), {"axis": 0, "dtype": np.dtype(np.int64)}),
            (
                np.array([[np.nan, 1.0], [np.nan, np.nan]]),
                {"axis": 1, "dtype": np.dtype(np.int64), "skips_nan": True},
            ),
        ],
    )


argmax = _position("argmax", np.argmax, nan="last", least=-np.inf)
argmin = _position("argmin", np.argmin, nan="first", least=np.inf)
