"""Products of matrices and vectors, from the main part of the standard."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from penstock.errors import ArgumentError, ShapeError
from penstock.functions import operators
from penstock.functions.arguments import tensor, whole_axis
from penstock.ops import complex_parts, linear, pointwise, reduce
from penstock.ops import shape as _shape
from penstock.ops.validation import whole, wholes
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Returns the matrix product over the last two axes; axes before them broadcast.

    Args:
        x1: numbers [..., n, k], or a vector [k].
        x2: numbers [..., k, m], or a vector [k].

    Returns:
        A tensor [..., n, m], without the axis of a vector, of the dtype to which both promote.

    Raises:
        ShapeError: if `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.matmul(ps.ones((2, 3)), ps.ones((3, 4))).shape
    (2, 4)
    """
    return operators.matmul(tensor(x1), tensor(x2), _frame(1))  # type: ignore[no-any-return]


def tensordot(x1: Any, x2: Any, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Returns sums of products over axes of x1 and x2: the last and first `axes` of them, or those named.

    Args:
        x1: numbers of any shape.
        x2: numbers of any shape.
        axes: how many axes, an int, or two sequences of axes, one for each operand.

    Returns:
        A tensor with the axes that were not summed over.

    Raises:
        ShapeError: if `x1`, `x2` or `axes` has the wrong shape, or names an axis that is not there.
        ArgumentError: if `x1`, `x2` or `axes` has a value that is not allowed.
        DTypeError: if `x1`, `x2` or `axes` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.tensordot(ps.ones((2, 3, 4)), ps.ones((3, 4, 5))).shape
    (2, 5)
    """
    frame = _frame(1)
    a, b = tensor(x1), tensor(x2)
    ranks = len(a.shape), len(b.shape)
    if not isinstance(axes, list | tuple):
        axes = whole("tensordot: axes", axes)
        if not 0 <= axes <= min(ranks):
            raise ArgumentError(
                f"tensordot: {axes} axes were asked for, of {a.shape} and {b.shape}.",
                why="That many of the last axes of one, and of the first axes of the other, are summed over.",
                remedy=f"Give a number from 0 to {min(ranks)}, or name the axes of each.",
                site=here(),
            )
        left, right = list(range(ranks[0] - axes, ranks[0])), list(range(axes))
    else:
        named = [wholes("tensordot: axes", one) for one in axes]
        if len(named) != 2:
            raise ArgumentError(
                f"tensordot: axes is {axes}.",
                why="It takes a pair: the axes of the first and of the second operand.",
                site=here(),
            )
        left, right = (
            [whole_axis("tensordot", axis, rank) for axis in one]
            for one, rank in zip(named, ranks, strict=True)
        )
    if [a.shape[axis] for axis in left] != [b.shape[axis] for axis in right]:
        raise ShapeError(
            f"tensordot: axes {left} of {a.shape} and {right} of {b.shape} do not fit together.",
            why="Axes that are summed over must have equal lengths.",
            site=here(),
        )
    kept = [[axis for axis in range(rank) if axis not in one] for rank, one in zip(ranks, (left, right))]
    lengths = [tuple(one.shape[axis] for axis in axes_) for one, axes_ in zip((a, b), kept)]
    count = math.prod(a.shape[axis] for axis in left)
    a = _shape.transpose.record((a,), {"axes": (*kept[0], *left)}, frame)
    a = _shape.reshape.record((a,), {"shape": (math.prod(lengths[0]), count)}, frame)
    b = _shape.transpose.record((b,), {"axes": (*right, *kept[1])}, frame)
    b = _shape.reshape.record((b,), {"shape": (count, math.prod(lengths[1]))}, frame)
    product = linear.matmul.record((a, b), {}, frame)
    return _shape.reshape.record((product,), {"shape": (*lengths[0], *lengths[1])}, frame)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Returns the scalar product of vectors along an axis, counted from the end: sum of conj(x1) * x2.

    Args:
        x1: numbers; they broadcast except along the axis.
        x2: numbers; they broadcast except along the axis.
        axis: the axis, a negative int.

    Returns:
        A tensor of the broadcast shape without the axis.

    Raises:
        ShapeError: if `x1`, `x2` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1`, `x2` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.vecdot(ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0]))
    Tensor(11., dtype=float32)
    """
    frame = _frame(1)
    a, b = tensor(x1), tensor(x2)
    places = [whole_axis("vecdot", axis, len(one.shape)) for one in (a, b)]
    if a.shape[places[0]] != b.shape[places[1]]:
        raise ShapeError(
            f"vecdot: {a.shape} and {b.shape} do not fit together along axis {axis}.",
            why="Both vectors must have the same number of elements.",
            site=here(),
        )
    if a._spec.dtype.kind == "c":
        a = complex_parts.conj.record((a,), {}, frame)
    product = pointwise.multiply.record((a, b), {}, frame)
    params = {"axes": (whole_axis("vecdot", axis, len(product.shape)),), "keepdims": False}
    return reduce.sum.record((product,), params, frame)


def kron(x1: Any, x2: Any, /) -> Tensor:
    """Returns Kronecker's product: x2 times each element of x1, in blocks that stand as those elements do.

    The one with fewer axes gets leading axes of length 1. Lengths are the products of theirs.

    Args:
        x1: numbers of any shape.
        x2: numbers of any shape.

    Returns:
        A tensor whose lengths are the products of theirs.

    Raises:
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.kron(ps.asarray([1.0, 10.0]), ps.asarray([1.0, 2.0]))
    Tensor([ 1.,  2., 10., 20.], dtype=float32)
    """
    frame = _frame(1)
    a, b = tensor(x1), tensor(x2)
    rank = max(len(a.shape), len(b.shape))
    outer, inner = ((1,) * (rank - len(one.shape)) + tuple(one.shape) for one in (a, b))
    apart = tuple(n for one in outer for n in (one, 1)), tuple(n for one in inner for n in (1, one))
    left, right = (
        _shape.reshape.record((one,), {"shape": shape}, frame)
        for one, shape in zip((a, b), apart, strict=True)
    )
    product = pointwise.multiply.record((left, right), {}, frame)
    lengths = tuple(m * n for m, n in zip(outer, inner, strict=True))
    return _shape.reshape.record((product,), {"shape": lengths}, frame)


def dot(x1: Any, x2: Any, /) -> Tensor:
    """Returns the product of x1 and x2 as `numpy.dot` does: over the last axis of x1.

    For two vectors it is a number, for two matrices `x1 @ x2`, and with a number `x1 * x2`. For more axes it
    is summed over the last axis of x1 and the last but one of x2, and all other axes stay. Raises ShapeError
    for lengths that do not fit.

    Args:
        x1: numbers [..., k], or a number.
        x2: numbers [..., k, m], [k], or a number.

    Returns:
        A tensor of the dtype to which both promote.

    Raises:
        ShapeError: if `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.dot(ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0]))
    Tensor(11., dtype=float32)
    """
    a, b = tensor(x1), tensor(x2)
    if not a.shape or not b.shape:
        return pointwise.multiply.record((a, b), {}, _frame(1))
    return tensordot(a, b, axes=([len(a.shape) - 1], [max(0, len(b.shape) - 2)]))


__all__ = ["dot", "kron", "matmul", "tensordot", "vecdot"]
