"""tf.linalg: matrix products and norms under TensorFlow's names."""

from __future__ import annotations

import math as _math
import sys as _sys
from typing import Any

import numpy as _np

from penstock.ops import linear as _linear
from penstock.ops import pointwise as _pointwise
from penstock.ops import reduce as _reduce
from penstock.ops import shape as _arrange
from penstock.tensorflow import _operators
from penstock.tensorflow._arrays import eye
from penstock.tensorflow._clipping import global_norm
from penstock.tensorflow._convert import HANDLES as _HANDLES
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._convert import same_dtype as _same_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._matrices import (
    adjoint,
    band_part,
    cholesky,
    cholesky_solve,
    cross,
    det,
    diag,
    diag_part,
    eigh,
    eigvalsh,
    expm,
    inv,
    logdet,
    matrix_rank,
    matrix_transpose,
    normalize,
    pinv,
    qr,
    set_diag,
    slogdet,
    solve,
    svd,
    tensor_diag,
    tensor_diag_part,
    trace,
    triangular_solve,
)
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._reductions import axes_of as _axes_of
from penstock.tensorflow._reductions import narrowed as _narrowed
from penstock.tensorflow._reductions import reduced as _reduced
from penstock.tensorflow._reductions import widened as _widened
from penstock.tensorflow._shape_functions import (
    einsum,
)
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.trace.fast_path import find as _find
from penstock.trace.source_site import here as _here

_frame = _sys._getframe
_matmul_code = _linear.matmul.code


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: Any = None
) -> _EagerTensor:
    """Returns the matrix product over the last two axes, of operands turned round where asked for.

    >>> from penstock import tensorflow as tf
    >>> print(tf.matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True))
    tf.Tensor([[11.]], shape=(1, 1), dtype=float32)
    """
    if not transpose_a and not transpose_b:
        found: Any = _find(_matmul_code, a, b)
        if found is not None:
            return found  # type: ignore[no-any-return]
    frame = _frame(1)
    both = isinstance(a, _HANDLES) and isinstance(b, _HANDLES)
    if not both or a._spec.dtype is not b._spec.dtype:
        a, b = _same_dtype((a, b), "MatMul")
    a = _turned(a, frame) if transpose_a and len(a._spec.shape) > 1 else a
    b = _turned(b, frame) if transpose_b and len(b._spec.shape) > 1 else b
    return _operators.matmul(a, b, frame)


def _turned(x: Any, frame: Any) -> _EagerTensor:
    axes = _np.arange(len(x._spec.shape)).tolist()
    return _record(_arrange.transpose, (x,), {"axes": (*axes[:-2], axes[-1], axes[-2])}, frame)


def matvec(a: Any, b: Any, transpose_a: bool = False, name: Any = None) -> _EagerTensor:
    """Returns the product of a matrix and a vector."""
    frame = _frame(1)
    a, b = _same_dtype((a, b), "MatMul")
    a = _turned(a, frame) if transpose_a else a
    column = _record(_arrange.reshape, (b,), {"shape": (*b._spec.shape, 1)}, frame)
    product = _operators.matmul(a, column, frame)
    return _record(_arrange.reshape, (product,), {"shape": product._spec.shape[:-1]}, frame)


def tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> _EagerTensor:
    """Returns the sum of products over the last `axes` axes of a and first of b, or over axes named."""
    frame = _frame(1)
    a, b = _same_dtype((a, b), "MatMul")
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
        raise _ArgumentError(
            f"tf.tensordot: the axes {left} of {a.shape} and {right} of {b.shape} differ in length.",
            site=_here(),
        )
    a = _record(_arrange.transpose, (a,), {"axes": (*kept[0], *left)}, frame)
    b = _record(_arrange.transpose, (b,), {"axes": (*right, *kept[1])}, frame)
    count = _math.prod(summed)
    rows = _record(_arrange.reshape, (a,), {"shape": (_math.prod(lengths[0]), count)}, frame)
    columns = _record(_arrange.reshape, (b,), {"shape": (count, _math.prod(lengths[1]))}, frame)
    product = _operators.matmul(rows, columns, frame)
    return _record(_arrange.reshape, (product,), {"shape": (*lengths[0], *lengths[1])}, frame)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: Any = None
) -> _EagerTensor:
    """Returns the norm of a tensor as one vector, or of its vectors along an axis; `ord` is 1, 2 or inf."""
    frame = _frame(1)
    x = _operand(tensor)
    axes = _axes_of(axis, len(x._spec.shape))
    keep = bool(keepdims)
    if ord in ("euclidean", "fro", 2):
        wide = _widened(x, frame)
        squares = _record(_pointwise.multiply, (wide, wide), {}, frame)
        root = _record(_pointwise.sqrt, (_reduced(_reduce.sum, squares, axes, keep, frame),), {}, frame)
        return _narrowed(root, x, frame)
    if ord not in (1, _np.inf):
        raise _ArgumentError(
            f"tf.norm with ord={ord!r} is not supported by penstock.tensorflow yet.", site=_here()
        )
    sizes = _record(_pointwise.absolute, (x,), {}, frame)
    return _reduced(_reduce.sum if ord == 1 else _reduce.max, sizes, axes, keep, frame)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.linalg", name, __all__)


__all__ = [
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "logdet",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
]
