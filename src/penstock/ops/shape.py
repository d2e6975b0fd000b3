"""Primitives that rearrange: reshape, transpose, broadcast, concatenate, slice, flip."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.table import Primitive
from penstock.trace import lengths
from penstock.trace.spec import Shape, Spec, spec
from penstock.trace.tensor import Tensor


def _reshape_shape(x: Spec, shape: Shape) -> Spec:
    if math.prod(shape) != x.size:
        raise ShapeError(
            f"reshape: {x.shape} has {x.size} elements, {shape} would have {math.prod(shape)}.",
            remedy="Set one length to -1 to have it computed.",
        )
    return spec(shape, x.dtype)


reshape: Primitive = Primitive(
    "reshape",
    shape=_reshape_shape,
    numpy=lambda x, shape: np.reshape(x, shape),
    xla=lambda jax, x, shape: jax.numpy.reshape(x, shape),
    vjp=(lambda ct, y, x, shape: reshape(ct, shape=x.shape),),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), {"shape": (3, 2)}),
        (rng.standard_normal((2, 3)), {"shape": (6,)}),
        (rng.standard_normal((1,)), {"shape": ()}),
        (rng.standard_normal((0, 2)), {"shape": (2, 0)}),
    ],
)


def _transpose_shape(x: Spec, axes: tuple[int, ...]) -> Spec:
    if sorted(axes) != list(range(x.ndim)):
        raise ShapeError(f"transpose: {axes} is not a permutation of the {x.ndim} axes of shape {x.shape}.")
    return spec(tuple(x.shape[axis] for axis in axes), x.dtype)


def _transpose_vjp(ct: Tensor, y: Tensor, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return transpose(ct, axes=tuple(int(axis) for axis in np.argsort(axes)))


transpose: Primitive = Primitive(
    "transpose",
    shape=_transpose_shape,
    numpy=lambda x, axes: np.transpose(x, axes),
    xla=lambda jax, x, axes: jax.lax.transpose(x, axes),
    vjp=(_transpose_vjp,),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), {"axes": (1, 0)}),
        (rng.standard_normal((2, 3, 4)), {"axes": (2, 0, 1)}),
        (rng.standard_normal(()), {"axes": ()}),
        (np.zeros((2, 0, 3)), {"axes": (2, 0, 1)}),
    ],
)


def _broadcast_shape(x: Spec, shape: Shape) -> Spec:
    padded = (1,) * (len(shape) - x.ndim) + x.shape
    if len(padded) != len(shape) or not all(map(lengths.broadcasts_to, padded, shape)):
        raise ShapeError(
            f"broadcast_to: shape {x.shape} does not broadcast to {shape}.",
            why="Counted from the last axis, each length must be equal or 1.",
        )
    return spec(shape, x.dtype)


broadcast_to: Primitive = Primitive(
    "broadcast_to",
    shape=_broadcast_shape,
    numpy=lambda x, shape: np.broadcast_to(x, shape),
    xla=lambda jax, x, shape: jax.numpy.broadcast_to(x, shape),
    # grad/backward sums over broadcast axes for every cotangent.
    vjp=(lambda ct, y, x, shape: ct,),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((3,)), {"shape": (2, 3)}),
        (rng.standard_normal((2, 1)), {"shape": (2, 4)}),
        (rng.standard_normal(()), {"shape": (2, 2)}),
        (rng.standard_normal((1, 3)), {"shape": (0, 3)}),
        (np.zeros((0, 1)), {"shape": (2, 0, 3)}),
    ],
)


def _concat_shape(*parts: Spec, axis: int) -> Spec:
    first = parts[0]
    for number, part in enumerate(parts[1:], 2):
        agrees = part.ndim == first.ndim and all(
            a == b for i, (a, b) in enumerate(zip(part.shape, first.shape, strict=True)) if i != axis
        )
        if not agrees:
            raise ShapeError(
                f"concat: part 1 has shape {first.shape}, part {number} has {part.shape}.",
                why=f"All axes except axis {axis}, along which they are joined, must have equal lengths.",
            )
    length = sum(part.shape[axis] for part in parts)
    return spec((*first.shape[:axis], length, *first.shape[axis + 1 :]), first.dtype)


class _PartVjp:
    """The derivative of `concat` in its i-th part: that part's slice of the cotangent."""

    def __getitem__(self, index: int) -> Any:
        def vjp(ct: Tensor, y: Tensor, *parts: Tensor, axis: int) -> Tensor:
            start = sum(part.shape[axis] for part in parts[:index])
            stop = start + parts[index].shape[axis]
            window = tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(ct.shape))
            return slice_(ct, window=window)

        return vjp

    def __len__(self) -> int:
        return 1 << 30

    def __iter__(self) -> Any:
        raise TypeError("concat takes any number of parts: ask for the derivative of one of them")


concat: Primitive = Primitive(
    "concat",
    shape=_concat_shape,
    numpy=lambda *parts, axis: np.concatenate(parts, axis),
    xla=lambda jax, *parts, axis: jax.lax.concatenate(parts, axis),
    vjp=_PartVjp(),  # type: ignore[arg-type]
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), rng.standard_normal((2, 1)), {"axis": 1}),
        (rng.standard_normal((2,)), rng.standard_normal((0,)), rng.standard_normal((1,)), {"axis": 0}),
    ],
)

Window = tuple[tuple[int, int, int], ...]
"""Start, stop and positive step of each axis, start and stop within the axis."""


def _index(window: Window) -> tuple[slice, ...]:
    return tuple(slice(*one) for one in window)


def _slice_shape(x: Spec, window: Window) -> Spec:
    return spec(tuple(lengths.count(*one) for one in window), x.dtype)


def _slice_xla(jax: Any, x: Any, window: Window) -> Any:
    if all(isinstance(n, int) for one in window for n in one):
        lengths = tuple(len(range(*one)) for one in window)
        if 0 in lengths:
            # XLA's compiler may crash on an empty slice of a non-empty operand.
            return jax.numpy.zeros(lengths, x.dtype)
    starts, stops, steps = zip(*window, strict=True) if window else ((), (), ())
    return jax.lax.slice(x, starts, stops, steps)


slice_: Primitive = Primitive(
    "slice",
    shape=_slice_shape,
    numpy=lambda x, window: x[_index(window)],
    xla=_slice_xla,
    vjp=(lambda ct, y, x, window: unslice(ct, shape=x.shape, window=window),),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((4, 5)), {"window": ((1, 3, 1), (0, 5, 2))}),
        (rng.standard_normal((3,)), {"window": ((1, 1, 1),)}),
        (np.zeros((0, 4)), {"window": ((0, 0, 1), (1, 4, 2))}),
    ],
)


def part_of(x: Any, axis: int, start: int, stop: int) -> Tensor:
    """Returns the part of x from start to stop along an axis."""
    window = tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(x.shape))
    return slice_(x, window=window)


def _unslice_numpy(x: Any, shape: Shape, window: Window) -> Any:
    full = np.zeros(shape, x.dtype)
    full[_index(window)] = x
    return full


unslice: Primitive = Primitive(
    "unslice",
    shape=lambda x, shape, window: spec(shape, x.dtype),
    numpy=_unslice_numpy,
    xla=lambda jax, x, shape, window: jax.numpy.zeros(shape, x.dtype).at[_index(window)].set(x),
    vjp=(lambda ct, y, x, shape, window: slice_(ct, window=window),),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), {"shape": (4, 5), "window": ((1, 3, 1), (0, 5, 2))}),
        (np.zeros((0, 2)), {"shape": (3, 2), "window": ((1, 1, 1), (0, 2, 1))}),
        (np.zeros((0, 2)), {"shape": (0, 4), "window": ((0, 0, 1), (1, 4, 2))}),
    ],
)


def _window_index(starts: Any, lengths: Shape, axes: tuple[int, ...], rank: int) -> tuple[slice, ...]:
    index = [slice(None)] * rank
    for axis, start, length in zip(axes, starts, lengths, strict=True):
        index[axis] = slice(int(start), int(start) + length)
    return tuple(index)


def _window_shape(x: Spec, *starts: Spec, lengths: Shape, axes: tuple[int, ...]) -> Spec:
    final = list(x.shape)
    for axis, length in zip(axes, lengths, strict=True):
        final[axis] = length
    return spec(tuple(final), x.dtype)


def _all_starts(starts: Any, axes: tuple[int, ...], rank: int) -> list[Any]:
    every: list[Any] = [np.int64(0)] * rank
    for axis, start in zip(axes, starts, strict=True):
        every[axis] = start.astype(np.int64)
    return every


def _window_xla(jax: Any, x: Any, *starts: Any, lengths: Shape, axes: tuple[int, ...]) -> Any:
    sizes = [lengths[axes.index(i)] if i in axes else n for i, n in enumerate(x.shape)]
    if 0 in sizes:
        return jax.numpy.zeros(sizes, x.dtype)
    return jax.lax.dynamic_slice(x, _all_starts(starts, axes, x.ndim), sizes)


def _window_vjp(
    ct: Tensor, y: Tensor, x: Tensor, *starts: Tensor, lengths: Shape, axes: tuple[int, ...]
) -> Tensor:
    return unwindow(ct, *starts, shape=x.shape, axes=axes)


# A slice whose starts are operands: numbers that vary from pass to pass, such as a batch's first row, do not
# cause a new compilation. The window must be inside; the code that records it has checked that.
window: Primitive = Primitive(
    "window",
    shape=_window_shape,
    numpy=lambda x, *starts, lengths, axes: x[_window_index(starts, lengths, axes, x.ndim)],
    xla=_window_xla,
    vjp=(_window_vjp, None, None, None, None),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((4, 5)), np.asarray(1), np.asarray(2), {"lengths": (2, 3), "axes": (0, 1)}),
        (rng.standard_normal((4, 5)), np.asarray(3), {"lengths": (2,), "axes": (1,)}),
        (rng.standard_normal((4, 2)), np.asarray(4), {"lengths": (0,), "axes": (0,)}),
        (np.zeros((0, 5)), np.asarray(3), {"lengths": (2,), "axes": (1,)}),
    ],
)


def _unwindow_numpy(x: Any, *starts: Any, shape: Shape, axes: tuple[int, ...]) -> Any:
    full = np.zeros(shape, x.dtype)
    full[_window_index(starts, tuple(x.shape[axis] for axis in axes), axes, len(shape))] = x
    return full


def _unwindow_vjp(
    ct: Tensor, y: Tensor, x: Tensor, *starts: Tensor, shape: Shape, axes: tuple[int, ...]
) -> Tensor:
    return window(ct, *starts, lengths=tuple(x.shape[axis] for axis in axes), axes=axes)


unwindow: Primitive = Primitive(
    "unwindow",
    shape=lambda x, *starts, shape, axes: spec(shape, x.dtype),
    numpy=_unwindow_numpy,
    xla=lambda jax, x, *starts, shape, axes: jax.lax.dynamic_update_slice(
        jax.numpy.zeros(shape, x.dtype), x, _all_starts(starts, axes, len(shape))
    ),
    vjp=(_unwindow_vjp, None, None, None, None),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), np.asarray(1), np.asarray(2), {"shape": (4, 5), "axes": (0, 1)}),
        (np.zeros((0, 2)), np.asarray(4), {"shape": (4, 2), "axes": (0,)}),
        (np.zeros((0, 2)), np.asarray(3), {"shape": (0, 5), "axes": (1,)}),
    ],
)

flip: Primitive = Primitive(
    "flip",
    shape=lambda x, axes: x,
    numpy=lambda x, axes: np.flip(x, axes),
    xla=lambda jax, x, axes: jax.lax.rev(x, axes),
    vjp=(lambda ct, y, x, axes: flip(ct, axes=axes),),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), {"axes": (1,)}),
        (np.zeros((0, 3)), {"axes": (0, 1)}),
    ],
)


def _in_triangle(xp: Any, x: Any, k: int, lower: bool) -> Any:
    rows, columns = x.shape[-2:]
    # A diagonal beyond the matrix counts as the one just outside it.
    k = max(-rows - 1, min(k, columns + 1))
    above = xp.arange(columns)[None, :] - xp.arange(rows)[:, None]
    return above <= k if lower else above >= k


triangle: Primitive = Primitive(
    "triangle",
    shape=lambda x, k, lower: x,
    numpy=lambda x, k, lower: np.where(_in_triangle(np, x, k, lower), x, np.zeros((), x.dtype)),
    xla=lambda jax, x, k, lower: jax.numpy.where(
        _in_triangle(jax.numpy, x, k, lower), x, jax.numpy.zeros((), x.dtype)
    ),
    vjp=(lambda ct, y, x, k, lower: triangle(ct, k=k, lower=lower),),
    dtypes="own",
    samples=lambda rng: [
        (rng.standard_normal((3, 4)), {"k": 1, "lower": True}),
        (rng.standard_normal((2, 3, 2)), {"k": 0, "lower": False}),
        (rng.standard_normal((2, 2)), {"k": -9, "lower": True}),
        (np.zeros((0, 2)), {"k": 0, "lower": True}),
    ],
)
