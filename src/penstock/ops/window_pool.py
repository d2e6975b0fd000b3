"""Primitives that reduce windows of spatial axes: sums, largest elements, and their derivatives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.shape import broadcast_to
from penstock.ops.table import Primitive
from penstock.ops.window import Lengths, Pads, dilated, positions
from penstock.trace.local import local
from penstock.trace.spec import Shape, Spec, spec
from penstock.trace.tensor import Tensor

# Operands are [batch, lengths, channels]. Everything here is one slice of the operand for each place in a
# window, which is quick in NumPy, and which XLA fuses into one loop.

UNROLLED = 64
"""Windows of more places than this are left to XLA's own reduction if it has one."""
ASKED = 9
"""In windows of more places than this, elements do not ask for the others one by one."""


def _places(shape: Shape, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths) -> Lengths:
    return tuple(
        positions(shape[1 + i] + sum(padding[i]), dilated(window[i], dilation[i]), strides[i])
        for i in range(len(window))
    )


def _pooled_shape(name: str) -> Any:
    def rule(x: Spec, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths) -> Spec:
        rank = len(window)
        if x.ndim != rank + 2:
            raise ShapeError(f"{name}: {x.shape} does not have {rank} spatial axes and two others.")
        return spec((x.shape[0], *_places(x.shape, window, strides, padding, dilation), x.shape[-1]), x.dtype)

    return rule


def _slices(
    places: Lengths, window: Lengths, strides: Lengths, dilation: Lengths
) -> Iterator[tuple[slice, ...]]:
    """Yields, for each place in a window, the part of the padded operand at that place."""
    for offset in itertools.product(*map(range, window)):
        yield (
            slice(None),
            *(
                slice(o * d, o * d + (n - 1) * s + 1 if n else o * d, s)
                for o, d, n, s in zip(offset, dilation, places, strides, strict=True)
            ),
            slice(None),
        )


def _padded(xp: Any, x: Any, padding: Pads, fill: Any) -> Any:
    if not any(map(any, padding)):
        return x
    return xp.pad(x, [(0, 0), *padding, (0, 0)], constant_values=fill)


def _lowest(dtype: Any) -> Any:
    return np.asarray(np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf, dtype)


def _max_pool(xp: Any, x: Any, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths) -> Any:
    places = _places(x.shape, window, strides, padding, dilation)
    x = _padded(xp, x, padding, _lowest(x.dtype))
    result = None
    for part in _slices(places, window, strides, dilation):
        result = x[part] if result is None else xp.maximum(result, x[part])
    return result


def _max_pool_xla(
    jax: Any, x: Any, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths
) -> Any:
    if math.prod(window) <= UNROLLED:
        return _max_pool(jax.numpy, x, window, strides, padding, dilation)
    return jax.lax.reduce_window(
        x,
        _lowest(x.dtype),
        jax.lax.max,
        (1, *window, 1),
        (1, *strides, 1),
        ((0, 0), *padding, (0, 0)),
        window_dilation=(1, *dilation, 1),
    )


def _firsts(
    xp: Any, x: Any, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths
) -> Iterator[tuple[tuple[slice, ...], Any]]:
    """Yields each place in a window, and a mask of windows whose first largest element is there."""
    places = _places(x.shape, window, strides, padding, dilation)
    largest = _max_pool(xp, x, window, strides, padding, dilation)
    x = _padded(xp, x, padding, _lowest(x.dtype))
    taken = None
    for part in _slices(places, window, strides, dilation):
        equal = x[part] == largest
        yield part, equal if taken is None else equal & ~taken
        taken = equal if taken is None else equal | taken


def _cut(full: Any, padding: Pads) -> Any:
    return full[
        (
            slice(None),
            *(slice(low, full.shape[1 + i] - high) for i, (low, high) in enumerate(padding)),
            slice(None),
        )
    ]


def _wide(shape: Shape, padding: Pads) -> Shape:
    return (shape[0], *(shape[1 + i] + sum(pair) for i, pair in enumerate(padding)), shape[-1])


def _put_back(jax: Any, parts: Iterator[tuple[tuple[slice, ...], Any]], shape: Shape, dtype: Any) -> Any:
    """Adds up the elements at each place of the windows, in an array of a shape; in NumPy `jax` is None."""
    total = np.zeros(shape, dtype) if jax is None else None
    for part, values in parts:
        if jax is None:
            total[part] += values  # type: ignore[index]
            continue
        config = [
            (one.start or 0, n - (one.start or 0) - ((v - 1) * (one.step or 1) + 1), (one.step or 1) - 1)
            for one, n, v in zip(part, shape, values.shape, strict=True)
        ]
        spread = (
            jax.lax.pad(values, np.zeros((), dtype), config) if values.size else jax.numpy.zeros(shape, dtype)
        )
        total = spread if total is None else total + spread
    return total


def _max_pool_scatter(jax: Any, ct: Any, x: Any, **params: Any) -> Any:
    xp = np if jax is None else jax.numpy
    zero = np.zeros((), ct.dtype)
    parts = ((part, xp.where(first, ct, zero)) for part, first in _firsts(xp, x, **params))
    return _cut(_put_back(jax, parts, _wide(x.shape, params["padding"]), ct.dtype), params["padding"])


def _scatter_apart(jax: Any, ct: Any, x: Any, window: Lengths) -> Any:
    """Returns the gradient of windows that lie side by side: each element belongs to one window.

    Each window's first largest place is found once and stored; each element asks whether it is there. Putting
    the parts back one by one costs XLA a branch for each part and element.
    """
    xp = jax.numpy
    rank = len(window)
    places = ct.shape[1:-1]
    cut = x[(slice(None), *(slice(n * w) for n, w in zip(places, window, strict=True)), slice(None))]
    ones = [length for n in places for length in (n, 1)]

    def of_window(values: Any) -> Any:
        return values.reshape(x.shape[0], *ones, x.shape[-1])

    order = np.arange(math.prod(window), dtype=np.int32)
    none = ((0, 0),) * rank
    largest = _max_pool(xp, x, window, window, none, (1,) * rank)
    # No place is as large if one of them is NaN.
    first: Any = np.int32(order.size)
    for number, part in reversed([*zip(order, _slices(places, window, window, (1,) * rank), strict=True)]):
        first = xp.where(x[part] == largest, number, first)
    first = of_window(jax.lax.optimization_barrier(first))
    own = order.reshape([length for w in window for length in (1, w)])[..., None]
    found = xp.where(first == own, of_window(ct), np.zeros((), ct.dtype)).reshape(cut.shape)
    return xp.pad(found, [(0, n - m) for n, m in zip(x.shape, cut.shape, strict=True)])


def _max_pool_scatter_xla(
    jax: Any, ct: Any, x: Any, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths
) -> Any:
    near = math.prod(window) <= ASKED and all(d == 1 or w == 1 for w, d in zip(window, dilation, strict=True))
    known = all(isinstance(n, int) for n in x.shape)
    if near and known and strides == window and not any(map(any, padding)) and ct.size:
        return _scatter_apart(jax, ct, x, window)
    return _max_pool_scatter(jax, ct, x, window=window, strides=strides, padding=padding, dilation=dilation)


def _max_pool_gather(xp: Any, u: Any, x: Any, **params: Any) -> Any:
    padded = _padded(xp, u, params["padding"], 0)
    zero = np.zeros((), u.dtype)
    total: Any = None
    for part, first in _firsts(xp, x, **params):
        chosen = xp.where(first, padded[part], zero)
        total = chosen if total is None else total + chosen
    return total


def _nothing(operand: int) -> Any:
    """Returns the rule of an operand that affects the result only through its largest elements."""

    def max_pool_position_vjp(ct: Tensor, y: Tensor, *operands: Tensor, **params: Any) -> Tensor:
        own = operands[operand]
        return broadcast_to(local.trace.constant(0, own.dtype), shape=own.shape)

    return max_pool_position_vjp


def _geometries(rng: np.random.Generator) -> list[tuple[Shape, dict[str, Any]]]:
    def geometry(shape: Shape, *params: Any) -> tuple[Shape, dict[str, Any]]:
        return shape, dict(zip(("window", "strides", "padding", "dilation"), params, strict=True))

    return [
        geometry((2, 4, 6, 2), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)),
        geometry((1, 5, 7, 2), (2, 3), (2, 3), ((0, 0), (0, 0)), (1, 1)),
        geometry((1, 7, 3), (3,), (2,), ((1, 1),), (1,)),
        geometry((1, 5, 5, 1), (2, 3), (1, 2), ((1, 0), (0, 1)), (2, 1)),
        geometry((1, 3, 2, 2, 1), (2, 1, 2), (1, 1, 1), ((0, 1), (0, 0), (1, 0)), (1,) * 3),
        geometry((0, 4, 2), (2,), (2,), ((0, 0),), (1,)),
        geometry((1, 70, 1), (65,), (3,), ((0, 0),), (1,)),
        geometry((1, 1, 1), (2,), (1,), ((0, 0),), (1,)),
    ]


def _unequal(rng: np.random.Generator, shape: Shape) -> Any:
    """Draws an operand in which no two elements are equal or nearly equal."""
    count = math.prod(shape)
    return np.round(rng.permutation(count).reshape(shape) / 7 - count / 14, 2)


def _pooled(shape: Shape, params: dict[str, Any]) -> Shape:
    return (shape[0], *_places(shape, **params), shape[-1])


max_pool: Primitive = Primitive(
    "max_pool",
    shape=_pooled_shape("max_pool"),
    numpy=lambda x, **params: _max_pool(np, x, **params),
    xla=_max_pool_xla,
    vjp=(lambda ct, y, x, **params: max_pool_scatter(ct, x, **params),),
    dtypes="real numeric",
    samples=lambda rng: [(_unequal(rng, shape), params) for shape, params in _geometries(rng)],
)

# The transpose of taking the largest elements: each cotangent goes to where its element was.
max_pool_scatter: Primitive = Primitive(
    "max_pool_scatter",
    shape=lambda ct, x, **params: x,
    numpy=lambda ct, x, **params: _max_pool_scatter(None, ct, x, **params),
    xla=_max_pool_scatter_xla,
    vjp=(lambda ct, y, u, x, **params: max_pool_gather(ct, x, **params), _nothing(1)),
    dtypes="real numeric",
    samples=lambda rng: [
        (np.round(rng.standard_normal(_pooled(shape, params)), 2), _unequal(rng, shape), params)
        for shape, params in _geometries(rng)
    ],
)

max_pool_gather: Primitive = Primitive(
    "max_pool_gather",
    shape=lambda u, x, **params: spec(_pooled(x.shape, params), u.dtype),
    numpy=lambda u, x, **params: _max_pool_gather(np, u, x, **params),
    xla=lambda jax, u, x, **params: _max_pool_gather(jax.numpy, u, x, **params),
    vjp=(lambda ct, y, u, x, **params: max_pool_scatter(ct, x, **params), _nothing(1)),
    dtypes="real numeric",
    samples=lambda rng: [
        (np.round(rng.standard_normal(shape), 2), _unequal(rng, shape), params)
        for shape, params in _geometries(rng)
    ],
)


# -- sums ---------------------------------------------------------------------------------------------------


def _working(dtype: Any) -> Any:
    """Two-byte floating-point numbers are added up as float32, as everywhere."""
    return np.dtype(np.float32) if dtype.kind in "fV" and dtype.itemsize < 4 else dtype


def _sum_pool(xp: Any, x: Any, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths) -> Any:
    places = _places(x.shape, window, strides, padding, dilation)
    padded = _padded(xp, x.astype(_working(x.dtype)), padding, 0)
    total: Any = None
    for part in _slices(places, window, strides, dilation):
        total = padded[part] if total is None else total + padded[part]
    return total.astype(x.dtype)


def _sum_pool_xla(
    jax: Any, x: Any, window: Lengths, strides: Lengths, padding: Pads, dilation: Lengths
) -> Any:
    if math.prod(window) <= UNROLLED:
        return _sum_pool(jax.numpy, x, window, strides, padding, dilation)
    working = _working(x.dtype)
    return jax.lax.reduce_window(
        x.astype(working),
        np.zeros((), working),
        jax.lax.add,
        (1, *window, 1),
        (1, *strides, 1),
        ((0, 0), *padding, (0, 0)),
        window_dilation=(1, *dilation, 1),
    ).astype(x.dtype)


def _sum_unpool(jax: Any, ct: Any, shape: Shape, window: Lengths, strides: Lengths, padding: Pads,
                dilation: Lengths) -> Any:  # fmt: skip
    values = ct.astype(_working(ct.dtype))
    parts = ((part, values) for part in _slices(ct.shape[1:-1], window, strides, dilation))
    return _cut(_put_back(jax, parts, _wide(shape, padding), values.dtype), padding).astype(ct.dtype)


sum_pool: Primitive = Primitive(
    "sum_pool",
    shape=_pooled_shape("sum_pool"),
    numpy=lambda x, **params: _sum_pool(np, x, **params),
    xla=_sum_pool_xla,
    vjp=(lambda ct, y, x, **params: sum_unpool(ct, shape=x.shape, **params),),
    dtypes="numeric",
    samples=lambda rng: [
        (np.round(rng.standard_normal(shape), 2), params) for shape, params in _geometries(rng)
    ],
)

# The transpose of `sum_pool`: each window's value goes to all of its places.
sum_unpool: Primitive = Primitive(
    "sum_unpool",
    shape=lambda ct, shape, **params: spec(shape, ct.dtype),
    numpy=lambda ct, shape, **params: _sum_unpool(None, ct, shape, **params),
    xla=lambda jax, ct, shape, **params: _sum_unpool(jax, ct, shape, **params),
    vjp=(lambda ct, y, x, shape, **params: sum_pool(ct, **params),),
    dtypes="numeric",
    samples=lambda rng: [
        (np.round(rng.standard_normal(_pooled(shape, params)), 2), {"shape": shape, **params})
        for shape, params in _geometries(rng)
    ],
)
