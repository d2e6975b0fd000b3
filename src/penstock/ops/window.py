"""Primitives that slide a window over spatial axes: convolution, and the geometry it shares with pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops import onednn
from penstock.ops import spread as spreading
from penstock.ops.shape import flip, reshape, transpose
from penstock.ops.stored import stored
from penstock.ops.table import Primitive
from penstock.trace.lengths import maximum
from penstock.trace.spec import Shape, Spec, spec
from penstock.trace.tensor import Tensor

Lengths = tuple[int, ...]
Pads = tuple[tuple[int, int], ...]
"""The padding before and after each spatial axis; negative numbers crop."""

CHUNK = 1 << 20
"""The most elements of unfolded windows that the NumPy tier holds at a time: they stay in the CPU's cache."""
UNROLLED = 64
"""The most separate products for XLA with groups of one channel: more take long to compile."""


def dilated(length: int, step: int) -> int:
    """Returns the length of an axis whose elements are spread `step` places apart."""
    return (length - 1) * step + 1 if length else 0


def positions(length: int, window: int, step: int) -> int:
    """Returns in how many places a window fits into an axis when it moves by `step`."""
    return maximum(0, (length - window) // step + 1)  # type: ignore[no-any-return]


# A separate group axis before the channels makes the set of convolutions closed under differentiation: the
# gradient by either operand is a convolution of the same form. The formulas for the padding follow from the
# lengths: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.


def _convolution_shape(
    x: Spec, kernel: Spec, strides: Lengths, padding: Pads, spread: Lengths, dilation: Lengths
) -> Spec:
    rank = len(strides)
    if x.ndim != rank + 3 or kernel.ndim != rank + 3:
        raise ShapeError(
            f"convolution: {x.shape} and {kernel.shape} do not have {rank} spatial axes and three others."
        )
    groups, channels = x.shape[-2:]
    if kernel.shape[rank : rank + 2] != (channels, groups):
        raise ShapeError(
            f"convolution: the kernel takes {kernel.shape[rank]} channels in {kernel.shape[rank + 1]} "
            f"groups, the input has {channels} in {groups}."
        )
    places = []
    for axis in range(rank):
        length = dilated(x.shape[1 + axis], spread[axis]) + sum(padding[axis])
        window = dilated(kernel.shape[axis], dilation[axis])
        places.append(positions(length, window, strides[axis]))
    return spec((x.shape[0], *places, groups, kernel.shape[-1]), x.dtype)


def _prepared(x: Any, padding: Pads, spread: Lengths) -> Any:
    """Returns x with its spatial axes spread out and padded with zeros, or cut where padding is negative."""
    rank = len(spread)
    if any(step > 1 for step in spread):
        lengths = tuple(dilated(x.shape[1 + i], spread[i]) for i in range(rank))
        full = np.zeros((x.shape[0], *lengths, *x.shape[1 + rank :]), x.dtype)
        full[(slice(None), *(slice(None, None, step) for step in spread))] = x
        x = full
    kept = (
        slice(max(0, -low), max(0, x.shape[1 + i] - max(0, -high))) for i, (low, high) in enumerate(padding)
    )
    x = x[(slice(None), *kept)]
    more = [(max(0, low), max(0, high)) for low, high in padding]
    if any(map(any, more)):
        x = np.pad(x, [(0, 0), *more, *[(0, 0)] * (x.ndim - 1 - rank)])
    return x


def _convolution_numpy(
    x: Any, kernel: Any, strides: Lengths, padding: Pads, spread: Lengths, dilation: Lengths
) -> Any:
    rank = len(strides)
    made = _convolution_shape(
        spec(x.shape, x.dtype), spec(kernel.shape, kernel.dtype), strides, padding, spread, dilation
    )
    if not (made.size and x.size and kernel.size):
        return np.zeros(made.shape, x.dtype)
    if spreading.is_divided(x, kernel, made.shape, strides, spread, dilation):
        ones = (1,) * rank
        results = spreading.divided(
            x, kernel, made.shape, padding, spread,
            lambda x, kernel, padding: _convolution_numpy(x, kernel, ones, padding, ones, ones),
        )  # fmt: skip
        return spreading.joined_numpy(results, made.shape, spread, made.dtype)
    narrow = x.dtype.kind in "fV" and x.dtype.itemsize < 4
    wide = np.dtype(np.float32) if narrow else x.dtype
    # Contiguous: unfolding reads it many times over, in the order of its axes.
    x = np.ascontiguousarray(_prepared(x.astype(wide, copy=False), padding, spread))
    lengths, places = kernel.shape[:rank], made.shape[1 : 1 + rank]
    groups, channels, filters = x.shape[-2], x.shape[-1], kernel.shape[-1]
    steps = x.strides
    # Windows as a view: groups, batch, places, lengths, channels.
    windows = np.lib.stride_tricks.as_strided(
        x,
        (groups, x.shape[0], *places, *lengths, channels),
        (
            steps[-2],
            steps[0],
            *(steps[1 + i] * strides[i] for i in range(rank)),
            *(steps[1 + i] * dilation[i] for i in range(rank)),
            steps[-1],
        ),
        writeable=False,
    )
    depth, count = math.prod(lengths) * channels, math.prod(places)
    # [lengths, channels, groups, filters] to [groups, lengths and channels, filters]
    matrix = np.moveaxis(kernel.astype(wide, copy=False), rank + 1, 0).reshape(groups, depth, filters)
    result = np.empty((groups, x.shape[0] * count, filters), wide)
    rows = max(1, CHUNK // max(1, groups * count * depth))
    for start in range(0, x.shape[0], rows):
        part = windows[:, start : start + rows]
        many = part.shape[1] * count
        np.matmul(
            part.reshape(groups, many, depth), matrix, out=result[:, start * count : start * count + many]
        )
    result = np.moveaxis(result, 0, 1).reshape(made.shape)
    return result.astype(made.dtype, copy=False)


def _by_places(
    jax: Any,
    x: Any,
    kernel: Any,
    places: Lengths,
    strides: Lengths,
    padding: Pads,
    spread: Lengths,
    dilation: Lengths,
) -> Any:
    """Convolves groups of one channel each, as a sum over the kernel, or over the places if they are fewer.

    XLA's own method multiplies each group by the kernels of all the others set to zero: that takes ten times
    as long on a CPU, and a NaN or an infinity in one group would spread to all.
    """
    rank = len(places)
    lengths = kernel.shape[:rank]
    none, zero = (0, 0, 0), np.zeros((), x.dtype)
    edges = [(low, high, step - 1) for (low, high), step in zip(padding, spread, strict=True)]
    made = jax.lax.pad(x, zero, [none, *edges, none, none])
    wide = np.dtype(np.float32) if x.dtype.itemsize < 4 else x.dtype
    made, kernel = made.astype(wide), kernel.astype(wide)[..., 0, :, :]

    def window(starts: Lengths, counts: Lengths, steps: Lengths) -> Any:
        ends = [a + (n - 1) * s + 1 for a, n, s in zip(starts, counts, steps, strict=True)]
        first, last = (0, *starts, 0, 0), (made.shape[0], *ends, groups, 1)
        return jax.lax.slice(made, first, last, (1, *steps, 1, 1))

    groups = x.shape[-2]
    if math.prod(lengths) <= math.prod(places):
        total: Any = 0
        for place in np.ndindex(*lengths):
            starts = tuple(i * d for i, d in zip(place, dilation, strict=True))
            total = total + window(starts, places, strides) * kernel[place]
        return total.astype(x.dtype)
    found = []
    for place in np.ndindex(*places):
        starts = tuple(i * s for i, s in zip(place, strides, strict=True))
        found.append((window(starts, lengths, dilation) * kernel).sum(tuple(range(1, 1 + rank))))
    joined = jax.numpy.stack(found, 1).reshape(x.shape[0], *places, groups, kernel.shape[-1])
    return joined.astype(x.dtype)


def _convolution_xla(
    jax: Any, x: Any, kernel: Any, strides: Lengths, padding: Pads, spread: Lengths, dilation: Lengths
) -> Any:
    rank = len(strides)
    groups = x.shape[-2]
    # Lengths that JAX does not know yet are not ints: that of the batch decides nothing here.
    if all(isinstance(n, int) for n in x.shape[1:]):
        batch = x.shape[0] if isinstance(x.shape[0], int) else 1
        one = spec((batch, *x.shape[1:]), x.dtype)
        made = _convolution_shape(
            one, spec(kernel.shape, kernel.dtype), strides, padding, spread, dilation
        ).shape
        if not (math.prod(made) and one.size and kernel.size):
            return jax.numpy.zeros((x.shape[0], *made[1:]), x.dtype)
        if groups > 1 and x.shape[-1] == 1:
            lengths, places = kernel.shape[:rank], made[1 : 1 + rank]
            if min(math.prod(lengths), math.prod(places)) <= UNROLLED:
                return _by_places(jax, x, kernel, places, strides, padding, spread, dilation)
        if x.dtype.itemsize > 4 and spreading.is_divided(x, kernel, made, strides, spread, dilation):
            # XLA itself leaves the zeros out for narrower dtypes.
            ones = (1,) * rank
            results = spreading.divided(
                x, kernel, made, padding, spread,
                lambda x, kernel, padding: _convolution_xla(jax, x, kernel, ones, padding, ones, ones),
            )  # fmt: skip
            return spreading.joined_xla(jax, results, made, spread)
        if isinstance(x.shape[0], int):
            found = onednn.convolution(jax, x, kernel, made, strides, padding, spread, dilation)
            if found is not None:
                return found
    letters = "012"[:rank]
    if x.dtype.itemsize > 4 and (any(map(any, padding)) or any(step > 1 for step in spread)):
        # XLA skips padded places for these dtypes and multiplies zeros for narrower ones, which shows if a
        # kernel contains infinities: here they are zeros for all, as in NumPy.
        config = [(low, high, step - 1) for (low, high), step in zip(padding, spread, strict=True)]
        none = (0, 0, 0)
        x = jax.lax.pad(x, np.zeros((), x.dtype), [none, *config, none, none])
        x = jax.lax.optimization_barrier(x)
        padding, spread = ((0, 0),) * rank, (1,) * rank
    y = jax.lax.conv_general_dilated(
        x.reshape(*x.shape[: 1 + rank], groups * x.shape[-1]),
        kernel.reshape(*kernel.shape[: rank + 1], groups * kernel.shape[-1]),
        strides,
        padding,
        lhs_dilation=spread,
        rhs_dilation=dilation,
        dimension_numbers=(f"N{letters}C", f"{letters}IO", f"N{letters}C"),
        feature_group_count=groups,
    )
    return y.reshape(*y.shape[: 1 + rank], groups, kernel.shape[-1])


def _by_input(
    ct: Tensor,
    y: Tensor,
    x: Tensor,
    kernel: Tensor,
    strides: Lengths,
    padding: Pads,
    spread: Lengths,
    dilation: Lengths,
) -> Tensor:
    rank = len(strides)
    pads = []
    for i in range(rank):
        window = dilated(kernel.shape[i], dilation[i])
        length, across = dilated(x.shape[1 + i], spread[i]), dilated(ct.shape[1 + i], strides[i])
        before = window - 1 - padding[i][0]
        pads.append((before, length + window - 1 - across - before))
    whole = tuple(
        i
        for i in range(rank)
        if ct.shape[1 + i] == 1 < x.shape[1 + i] == kernel.shape[i]
        and padding[i] == (0, 0)
        and spread[i] == dilation[i] == x.shape[1 + rank] == 1
    )
    if whole:
        return _by_input_of_one_place(ct, x, kernel, whole, strides, tuple(pads), spread, dilation)
    turned = transpose(flip(kernel, axes=tuple(range(rank))), axes=(*range(rank), rank + 2, rank + 1, rank))
    return convolution(ct, turned, strides=spread, padding=tuple(pads), spread=strides, dilation=dilation)


def _by_input_of_one_place(
    ct: Tensor,
    x: Tensor,
    kernel: Tensor,
    whole: Lengths,
    strides: Lengths,
    pads: Pads,
    spread: Lengths,
    dilation: Lengths,
) -> Tensor:
    """Returns the gradient by an input that the kernel covers along the axes `whole`, at one place.

    There its elements are so many channels more: along such an axis the general way would multiply zeros, as
    many for each element as the kernel is long.
    """
    rank = len(strides)
    others = tuple(i for i in range(rank) if i not in whole)
    turned = transpose(flip(kernel, axes=others), axes=(*others, rank + 2, rank + 1, *whole, rank))
    folded = math.prod(kernel.shape[i] for i in whole) * kernel.shape[rank]
    lengths = tuple(1 if i in whole else kernel.shape[i] for i in range(rank))
    found = convolution(
        ct,
        reshape(turned, shape=(*lengths, kernel.shape[rank + 2], 1, folded)),
        strides=spread,
        padding=tuple((0, 0) if i in whole else pads[i] for i in range(rank)),
        spread=tuple(1 if i in whole else strides[i] for i in range(rank)),
        dilation=dilation,
    )
    order = (*others, *whole)
    apart = reshape(found, shape=(x.shape[0], *(x.shape[1 + i] for i in order), 1, x.shape[-1]))
    back = tuple(1 + order.index(i) for i in range(rank))
    return transpose(apart, axes=(0, *back, rank + 1, rank + 2))


def _by_kernel(
    ct: Tensor,
    y: Tensor,
    x: Tensor,
    kernel: Tensor,
    strides: Lengths,
    padding: Pads,
    spread: Lengths,
    dilation: Lengths,
) -> Tensor:
    # The batch and the channels trade places.
    rank = len(strides)
    spatial = tuple(range(1, 1 + rank))
    pads = []
    for i in range(rank):
        window = dilated(kernel.shape[i], dilation[i])
        length, across = dilated(x.shape[1 + i], spread[i]), dilated(ct.shape[1 + i], strides[i])
        pads.append((padding[i][0], window - 1 + across - length - padding[i][0]))
    turned = transpose(stored(x), axes=(rank + 2, *spatial, rank + 1, 0))
    windows = transpose(stored(ct), axes=(*spatial, 0, rank + 1, rank + 2))
    found = convolution(
        turned, windows, strides=dilation, padding=tuple(pads), spread=spread, dilation=strides
    )
    return transpose(found, axes=(*spatial, 0, rank + 1, rank + 2))


def _convolution_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    def sample(x: Shape, kernel: Shape, *params: Any) -> tuple[Any, ...]:
        names = ("strides", "padding", "spread", "dilation")
        operands = [np.round(rng.standard_normal(shape), 2) for shape in (x, kernel)]
        return (*operands, dict(zip(names, params, strict=True)))

    ones = (1, 1)
    return [
        sample((2, 5, 4, 1, 3), (2, 3, 3, 1, 2), ones, ((0, 0), (0, 0)), ones, ones),
        sample((2, 7, 1, 2), (3, 2, 1, 2), (2,), ((0, 0),), (1,), (1,)),
        sample((1, 5, 4, 2, 2), (3, 2, 2, 2, 1), (2, 1), ((1, 1), (0, 1)), ones, ones),
        sample((1, 7, 6, 1, 1), (2, 3, 1, 1, 2), (2, 3), ((2, 0), (-1, 2)), ones, (3, 2)),
        sample((1, 3, 2, 1, 2), (3, 2, 2, 1, 1), (1, 2), ((1, 2), (0, -1)), (2, 3), (1, 2)),
        sample((1, 3, 3, 2, 1, 1), (2, 1, 2, 1, 1, 2), (1, 2, 1), ((0, 1),) * 3, (1,) * 3, (1,) * 3),
        sample((1, 6, 5, 3, 1), (2, 3, 1, 3, 2), (2, 1), ((1, 0), (-1, 2)), (1, 2), (2, 1)),
        sample((2, 4, 5, 1, 2), (2, 5, 2, 1, 3), (2, 3), ((0, 1), (0, 0)), (1, 1), (1, 1)),
        sample(
            (2, 3, 4, 2, 1, 1), (3, 2, 2, 1, 1, 2), (1, 1, 2), ((0, 0), (0, 1), (0, 0)), (1,) * 3, (1,) * 3
        ),
        sample((0, 3, 1, 1), (2, 1, 1, 1), (1,), ((0, 0),), (1,), (1,)),
        sample((1, 1, 1, 1), (2, 1, 1, 1), (1,), ((0, 0),), (1,), (1,)),
    ]


def _convolution_cost(x: Spec, kernel: Spec, **params: Any) -> int:
    made = _convolution_shape(x, kernel, **params)
    return 2 * made.size * math.prod(kernel.shape[: kernel.ndim - 2])


# [batch, lengths, groups, channels] with a kernel [lengths, channels, groups, filters] gives [batch, places,
# groups, filters]. `spread` spaces out the input's elements, `dilation` those of the kernel.
convolution: Primitive = Primitive(
    "convolution",
    shape=_convolution_shape,
    numpy=_convolution_numpy,
    xla=_convolution_xla,
    vjp=(_by_input, _by_kernel),
    dtypes="floating-point",
    samples=_convolution_samples,
    cost=_convolution_cost,
)
