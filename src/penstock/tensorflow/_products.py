"""Products of matrices and of tensors, and norms."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.ops import linear, pointwise, reduce, shape
from penstock.tensorflow import _operators
from penstock.tensorflow._convert import HANDLES, operand, record, same_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._reductions import axes_of, narrowed, reduced, widened
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.fast_path import find
from penstock.trace.source_site import here

_frame = sys._getframe
_matmul_code = linear.matmul.code


@named("tf.matmul", "tf.linalg.matmul")
def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the matrix product over the last two axes, with operands transposed on request.

    >>> from penstock import tensorflow as tf
    >>> print(tf.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True))
    tf.Tensor([[11.]], shape=(1, 1), dtype=float32)
    """
    if not transpose_a and not transpose_b:
        found: Any = find(_matmul_code, a, b)
        if found is not None:
            return found  # type: ignore[no-any-return]
    frame = _frame(1)
    both = isinstance(a, HANDLES) and isinstance(b, HANDLES)
    if not both or a._spec.dtype is not b._spec.dtype:
        a, b = same_dtype((a, b), "MatMul")
    a = _turned(a, frame) if transpose_a and len(a._spec.shape) > 1 else a
    b = _turned(b, frame) if transpose_b and len(b._spec.shape) > 1 else b
    return _operators.matmul(a, b, frame)


def _turned(x: Any, frame: Any) -> EagerTensor:
    axes = np.arange(len(x._spec.shape)).tolist()
    return record(shape.transpose, (x,), {"axes": (*axes[:-2], axes[-1], axes[-2])}, frame)


@named("tf.linalg.matvec")
def matvec(a: Any, b: Any, transpose_a: bool = False, name: Any = None) -> EagerTensor:
    """Returns the product of a matrix and a vector."""
    frame = _frame(1)
    a, b = same_dtype((a, b), "MatMul")
    a = _turned(a, frame) if transpose_a else a
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
    """Returns the norm of a tensor as one vector, or of its vectors along an axis; `ord` is 1, 2 or inf."""
    frame = _frame(1)
    x = operand(tensor)
    axes = axes_of(axis, len(x._spec.shape))
    keep = bool(keepdims)
    if ord in ("euclidean", "fro", 2):
        wide = widened(x, frame)
        squares = record(pointwise.multiply, (wide, wide), {}, frame)
        root = record(pointwise.sqrt, (reduced(reduce.sum, squares, axes, keep, frame),), {}, frame)
        return narrowed(root, x, frame)
    if ord not in (1, np.inf):
        raise ArgumentError(
            f"tf.norm with ord={ord!r} is not supported by penstock.tensorflow yet.", site=here()
        )
    sizes = record(pointwise.absolute, (x,), {}, frame)
    return reduced(reduce.sum if ord == 1 else reduce.max, sizes, axes, keep, frame)
