"""Batching rules: a primitive on operands with an additional leading axis, for the whole batch at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops import (
    batching_matrices,
    batching_positions,
    bessel,
    beta,
    bits,
    complex_parts,
    distributions,
    elementary,
    gather,
    guards,
    incomplete,
    index,
    integrals,
    linear,
    philox,
    philox_binomial,
    philox_gamma,
    philox_poisson,
    pointwise,
    products,
    random,
    reduce,
    scan,
    shares,
    sort,
    special,
    window,
    window_pool,
    zeta,
)
from penstock.ops import shape as shapes
from penstock.ops.batch_rules import (
    Flags,
    Operands,
    Rule,
    all_batched,
    along_axis,
    batching,
    elementwise,
    moved,
    own_shape,
    padded,
    rules,
    spread,
)
from penstock.ops.shape import broadcast_to, reshape, transpose
from penstock.ops.stored import stored
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor

for _module in (
    pointwise,
    elementary,
    bits,
    complex_parts,
    special,
    incomplete,
    beta,
    zeta,
    bessel,
    integrals,
    products,
    shares,
):
    rules |= {one: elementwise(one) for one in vars(_module).values() if isinstance(one, Primitive)}
for _primitive in (cast, distributions.poisson_quantile, gather.wrap_index, gather.checked_index,
                   guards.require_finite, guards.require_range, stored):  # fmt: skip
    rules[_primitive] = elementwise(_primitive)


# -- reductions -----------------------------------------------------------------------------------------


def _reduction(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        return primitive(operands[0], axes=tuple(axis + 1 for axis in axes), keepdims=keepdims)

    return rule


for _primitive in (reduce.sum, reduce.mean, reduce.max, reduce.min, reduce.prod, reduce.all, reduce.any):
    rules[_primitive] = _reduction(_primitive)


def _position(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, axis: int, **params: Any) -> Tensor:
        return primitive(operands[0], axis=axis + 1, **params)

    return rule


rules[reduce.argmax] = _position(reduce.argmax)
rules[reduce.argmin] = _position(reduce.argmin)


for _primitive in (
    scan.cumulative_sum, scan.cumulative_prod, scan.cumulative_max, scan.cumulative_min, scan.running_argmax,
    scan.running_argmin, scan.cumulative_logsumexp, sort.sort, sort.argsort,
):  # fmt: skip
    rules[_primitive] = along_axis(_primitive)

# -- rearranging ----------------------------------------------------------------------------------------


@batching(shapes.reshape)
def _reshape(size: int, operands: Operands, batched: Flags, shape: Shape) -> Tensor:
    return reshape(operands[0], shape=(size, *shape))


@batching(shapes.transpose)
def _transpose(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...]) -> Tensor:
    return transpose(operands[0], axes=(0, *(axis + 1 for axis in axes)))


@batching(shapes.broadcast_to)
def _broadcast_to(size: int, operands: Operands, batched: Flags, shape: Shape) -> Tensor:
    return broadcast_to(padded(operands[0], len(shape)), shape=(size, *shape))


@batching(shapes.concat)
def _concat(size: int, operands: Operands, batched: Flags, axis: int) -> Tensor:
    return shapes.concat(*all_batched(size, operands, batched), axis=axis + 1)


@batching(shapes.slice_)
def _slice(size: int, operands: Operands, batched: Flags, window: shapes.Window) -> Tensor:
    return shapes.slice_(operands[0], window=((0, size, 1), *window))


@batching(shapes.unslice)
def _unslice(size: int, operands: Operands, batched: Flags, shape: Shape, window: shapes.Window) -> Tensor:
    return shapes.unslice(operands[0], shape=(size, *shape), window=((0, size, 1), *window))


@batching(shapes.flip)
def _flip(size: int, operands: Operands, batched: Flags, axes: tuple[int, ...]) -> Tensor:
    return shapes.flip(operands[0], axes=tuple(axis + 1 for axis in axes))


# -- products -------------------------------------------------------------------------------------------


@batching(linear.matmul)
def _matmul(size: int, operands: Operands, batched: Flags) -> Tensor:
    a, b = operands
    if batched[0] and not batched[1] and len(a.shape) == 3 and len(b.shape) == 2:
        # One tall matrix, for which libraries are fast.
        flat = reshape(a, shape=(size * a.shape[1], a.shape[2]))
        return reshape(linear.matmul(flat, b), shape=(size, a.shape[1], b.shape[1]))
    rank = max(len(own_shape(x, has)) for x, has in zip(operands, batched, strict=True))
    return linear.matmul(*(padded(x, rank) if has else x for x, has in zip(operands, batched, strict=True)))


# -- windows --------------------------------------------------------------------------------------------


def _merged(x: Tensor) -> Tensor:
    """Merges the batch axis with the operand's own batch after it."""
    return reshape(x, shape=(x.shape[0] * x.shape[1], *x.shape[2:]))


def _apart(size: int, y: Tensor, axis: int) -> Tensor:
    """Splits the examples off an axis that holds them one after another, and moves them to the front."""
    length = y.shape[axis] // size
    split = reshape(y, shape=(*y.shape[:axis], size, length, *y.shape[axis + 1 :]))
    return moved(split, axis, 0)


@batching(window.convolution)
def _convolution(size: int, operands: Operands, batched: Flags, **geometry: Any) -> Tensor:
    x, kernel = operands
    if not batched[1]:
        return _apart(size, window.convolution(_merged(x), kernel, **geometry), 0)
    rank = len(geometry["strides"])
    if not batched[0]:
        # The kernels of all examples side by side, as additional filters.
        beside = moved(kernel, 0, rank + 2)
        filters = size * kernel.shape[-1]
        beside = reshape(beside, shape=(*beside.shape[: rank + 2], filters))
        return _apart(size, window.convolution(x, beside, **geometry), rank + 2)
    # Each example is a separate group.
    groups = size * x.shape[-2]
    x, kernel = moved(x, 0, rank + 1), moved(kernel, 0, rank + 1)
    x = reshape(x, shape=(*x.shape[: rank + 1], groups, x.shape[-1]))
    kernel = reshape(kernel, shape=(*kernel.shape[: rank + 1], groups, kernel.shape[-1]))
    return _apart(size, window.convolution(x, kernel, **geometry), rank + 1)


def _pooling(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        if "shape" in params:
            first, *rest = params["shape"]
            params = {**params, "shape": (size * first, *rest)}
        merged = [_merged(one) for one in all_batched(size, operands, batched)]
        return _apart(size, primitive(*merged, **params), 0)

    return rule


for _primitive in (window_pool.max_pool, window_pool.max_pool_gather, window_pool.max_pool_scatter,
                   window_pool.sum_pool, window_pool.sum_unpool):  # fmt: skip
    rules[_primitive] = _pooling(_primitive)

# -- single positions -----------------------------------------------------------------------------------


def _one_hot(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        return primitive(operands[0], **params)

    return rule


rules[index.one_hot] = _one_hot(index.one_hot)
rules[index.label_one_hot] = _one_hot(index.label_one_hot)


@batching(index.full)
def _full(size: int, operands: Operands, batched: Flags, shape: Shape) -> Tensor:
    return broadcast_to(reshape(operands[0], shape=(size, *(1,) * len(shape))), shape=(size, *shape))


# -- random numbers -------------------------------------------------------------------------------------

DRAWS = (
    random.random_bits, random.random_uniform, random.random_normal, random.random_truncated_normal,
    distributions.random_open, distributions.random_exponential, distributions.random_gumbel,
    distributions.random_laplace, distributions.random_logistic, distributions.random_permutation,
    philox.philox_bits, philox.philox_uniform, philox.philox_normal, philox.philox_truncated_normal,
    philox.philox_permutation,
)  # fmt: skip
"""Primitives that turn a key into random numbers: each example gets different numbers, even from one key."""


def _by_key(primitive: Primitive) -> Rule:
    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        return primitive(operands[0], **params)

    return rule


for _primitive in (*DRAWS, philox.philox_key):
    rules[_primitive] = _by_key(_primitive)


def _by_example(primitive: Primitive) -> Rule:
    """Draws by rejection: each example has its own number of attempts, and is drawn on its own."""

    def rule(size: int, operands: Operands, batched: Flags, count: int) -> Tensor:
        given = all_batched(size, operands, batched)
        rows = []
        for n in range(size):
            own = (
                reshape(shapes.slice_(one, window=((n, n + 1, 1), (0, one.shape[1], 1))), shape=one.shape[1:])
                for one in given
            )
            drawn = primitive(*own, count=count)
            rows.append(reshape(drawn, shape=(1, *drawn.shape)))
        return shapes.concat(*rows, axis=0)

    return rule


for _primitive in (
    philox_binomial.philox_binomial, philox_gamma.philox_gamma, philox_poisson.philox_poisson,
):  # fmt: skip
    rules[_primitive] = _by_example(_primitive)


@batching(random.fold_in)
def _fold_in(size: int, operands: Operands, batched: Flags) -> Tensor:
    return random.fold_in(*all_batched(size, operands, batched))


def drawn_apart(size: int, primitive: Primitive, key: Tensor, params: dict[str, Any]) -> Tensor:
    """Returns draws from one key that are different for each example."""
    if primitive is distributions.random_permutation:
        words = random.random_bits(key, shape=(size, params["length"]), dtype=np.dtype(np.uint64))
        return sort.argsort(words, axis=1, descending=False, stable=True)
    if primitive is philox.philox_permutation:
        examples = index.arange(start=0, step=1, length=size, dtype=np.dtype(np.uint32))
        return primitive(random.fold_in(spread(size, key), examples), **params)
    return primitive(key, **{**params, "shape": (size, *params["shape"])})


def folded_apart(size: int, key: Tensor, number: Tensor) -> Tensor:
    """Returns keys for turn `number` of a loop, different for each example; the number has a batch axis.

    Examples begin with the same number, even if they make different numbers of turns.
    """
    examples = index.arange(start=0, step=1, length=size, dtype=number.dtype)
    keys = random.fold_in(spread(size, key), number)
    return random.fold_in(keys, examples)


assert batching_matrices and batching_positions

__all__ = ["DRAWS", "drawn_apart", "folded_apart", "moved", "rules", "spread"]
