"""Products of matrices and of tensors, and norms."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.ops import complex_parts, linear, pointwise, reduce, shape
from penstock.ops.table import cast
from penstock.tensorflow import _operators
from penstock.tensorflow._convert import HANDLES, operand, record, same_dtype
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._reductions import axes_of, narrowed, reduced, widened
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.fast_path import find
from penstock.trace.source_site import here

_frame = sys._getframe
_matmul_code = linear.matmul.code


@named("tf.matmul", "tf.linalg.matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    name: Any = None,
) -> EagerTensor:
    """Returns the matrix product over the last two axes, with operands transposed on request.

    An adjoint is transposed and conjugated. `a_is_sparse` and `b_is_sparse` do nothing.

    >>> from penstock import tensorflow as tf
    >>> print(tf.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True))
    tf.Tensor([[11.]], shape=(1, 1), dtype=float32)
    """
    if not (transpose_a or transpose_b or adjoint_a or adjoint_b) and output_type is None:
        found: Any = find(_matmul_code, a, b)
        if found is not None:
            return found  # type: ignore[no-any-return]
    frame = _frame(1)
    both = isinstance(a, HANDLES) and isinstance(b, HANDLES)
    if not both or a._spec.dtype is not b._spec.dtype:
        a, b = same_dtype((a, b), "MatMul")
    if output_type is not None:
        wanted = numpy_dtype(output_type)
        a, b = [record(cast, (one,), {"dtype": wanted}, frame) for one in (a, b)]
    a, b = _adjoint(a, transpose_a, adjoint_a, frame), _adjoint(b, transpose_b, adjoint_b, frame)
    return _operators.matmul(a, b, frame)


def _adjoint(x: Any, transposed: bool, adjoint: bool, frame: Any) -> Any:
    if transposed and adjoint:
        raise ArgumentError(
            "Only one of `transpose_a` and `adjoint_a`, and of `transpose_b` and `adjoint_b`, can be True.",
            remedy="Leave one of them out.",
            site=here(),
        )
    if (transposed or adjoint) and len(x._spec.shape) > 1:
        x = _turned(x, frame)
    return _conjugate(x, frame) if adjoint else x


def _turned(x: Any, frame: Any) -> EagerTensor:
    axes = np.arange(len(x._spec.shape)).tolist()
    return record(shape.transpose, (x,), {"axes": (*axes[:-2], axes[-1], axes[-2])}, frame)


@named("tf.linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: Any = None,
) -> EagerTensor:
    """Returns the product of a matrix and a vector. `a_is_sparse` and `b_is_sparse` do nothing."""
    frame = _frame(1)
    a, b = same_dtype((a, b), "MatMul")
    a = _adjoint(a, transpose_a, adjoint_a, frame)
    column = record(shape.reshape, (b,), {"shape": (*b._spec.shape, 1)}, frame)
    product = _operators.matmul(a, column, frame)
    return record(shape.reshape, (product,), {"shape": product._spec.shape[:-1]}, frame)


@named("tf.tensordot", "tf.linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> EagerTensor:
    """Returns the sum of products over the last `axes` axes of a and first of b, or over axes named."""
    frame = _frame(1)
    a, b = same_dtype((a, b), "MatMul")
    ranks = len(a._spec.shape), len(b._spec.shape)
    if isinstance(axes, int):
        left, right = tuple(range(ranks[0] - axes, ranks[0])), tuple(range(axes))
    else:
        pair = [(one,) if isinstance(one, int) else tuple(one) for one in axes]
        left, right = (tuple(axis % rank for axis in one) for one, rank in zip(pair, ranks, strict=True))
    kept = [
        tuple(i for i in range(rank) if i not in gone)
        for rank, gone in zip(ranks, (left, right), strict=True)
    ]
    lengths = [[a._spec.shape[i] for i in kept[0]], [b._spec.shape[i] for i in kept[1]]]
    summed = [a._spec.shape[i] for i in left]
    if summed != [b._spec.shape[i] for i in right]:
        raise ArgumentError(
            f"tf.tensordot: the axes {left} of {a.shape} and {right} of {b.shape} differ in length.",
            site=here(),
        )
    a = record(shape.transpose, (a,), {"axes": (*kept[0], *left)}, frame)
    b = record(shape.transpose, (b,), {"axes": (*right, *kept[1])}, frame)
    count = math.prod(summed)
    rows = record(shape.reshape, (a,), {"shape": (math.prod(lengths[0]), count)}, frame)
    columns = record(shape.reshape, (b,), {"shape": (count, math.prod(lengths[1]))}, frame)
    product = _operators.matmul(rows, columns, frame)
    return record(shape.reshape, (product,), {"shape": (*lengths[0], *lengths[1])}, frame)


@named("tf.norm", "tf.linalg.norm")
def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: Any = None
) -> EagerTensor:
    """Returns the norm of a tensor as one vector, or of its vectors along an axis, or matrices in two.

    `ord` is a positive number, numpy.inf or 'euclidean'; of matrices 1, 2, numpy.inf, 'fro' or 'euclidean'.
    """
    frame = _frame(1)
    x = operand(tensor)
    matrices = isinstance(axis, list | tuple)
    _check_order(ord, axis)
    axes = axes_of(axis, len(x._spec.shape))
    keep = bool(keepdims)
    if ord in ("euclidean", "fro") or (ord == 2 and not matrices):
        wide = widened(x, frame)
        squares = record(pointwise.multiply, (wide, _conjugate(wide, frame)), {}, frame)
        root = record(pointwise.sqrt, (reduced(reduce.sum, squares, axes, keep, frame),), {}, frame)
        return narrowed(root, x, frame)
    if matrices and ord == 2:
        return _largest_singular_value(x, axes, keep, frame)  # type: ignore[no-any-return]
    sizes = record(pointwise.absolute, (x,), {}, frame)
    if matrices:
        ends = [one % len(x._spec.shape) for one in axis]
        first, second = ends if ord == 1 else ends[::-1]
        sums = reduced(reduce.sum, sizes, first, True, frame)
        most = reduced(reduce.max, sums, second, True, frame)
        return most if keep else _without(most, axes, frame)
    if ord in (1, np.inf):
        return reduced(reduce.sum if ord == 1 else reduce.max, sizes, axes, keep, frame)
    powers = record(pointwise.power, (sizes, ord), {}, frame)
    return record(pointwise.power, (reduced(reduce.sum, powers, axes, keep, frame), 1.0 / ord), {}, frame)


def _without(x: Any, axes: tuple[int, ...], frame: Any) -> EagerTensor:
    left = tuple(length for i, length in enumerate(x._spec.shape) if i not in axes)
    return record(shape.reshape, (x,), {"shape": left}, frame)


def _conjugate(x: Any, frame: Any) -> Any:
    return record(complex_parts.conj, (x,), {}, frame) if x._spec.dtype.kind == "c" else x


def _check_order(ord: Any, axis: Any) -> None:
    if isinstance(axis, list | tuple):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ArgumentError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}", site=here()
            )
        if ord not in ("euclidean", "fro", 1, 2, np.inf):
            raise ArgumentError(
                f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}",
                site=here(),
            )
    elif ord != "euclidean" and not (np.isreal(ord) and not isinstance(ord, str) and ord > 0):
        raise ArgumentError(
            f"'ord' must be a supported vector norm, got {ord}",
            remedy="Give a positive number, numpy.inf or 'euclidean'.",
            site=here(),
        )


def _largest_singular_value(x: Any, axes: tuple[int, ...], keep: bool, frame: Any) -> Any:
    from penstock.functions.linalg import svdvals

    rank = len(x._spec.shape)
    others = tuple(i for i in range(rank) if i not in axes)
    last = record(shape.transpose, (x,), {"axes": (*others, *axes)}, frame)
    most = reduced(reduce.max, svdvals(last), (len(others),), False, frame)
    if not keep:
        return most
    kept = tuple(1 if i in axes else x._spec.shape[i] for i in range(rank))
    return record(shape.reshape, (most,), {"shape": kept}, frame)
