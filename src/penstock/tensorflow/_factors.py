"""Eigenvalues of any matrix, triangular factors, least squares and tridiagonal systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import factors, linalg
from penstock.functions.composite import composite
from penstock.tensorflow._convert import integers, operand, same_dtype, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import FLOATING, ArgumentError, InvalidArgumentError, refused_dtype
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _square(x: Any, name: str) -> Any:
    x = operand(x)
    shape = x._spec.shape
    if x._spec.dtype.kind not in "fc":
        raise refused_dtype(x._spec.dtype, FLOATING, site=here())
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise InvalidArgumentError(f"{name}: Input matrix must be square. Got: {list(shape)}", site=here())
    return x


# -- eigenvalues ----------------------------------------------------------------------------------------


@named("tf.linalg.eig", "tf.eig")
def eig(tensor: Any, name: Any = None) -> Any:
    """Returns complex eigenvalues of square matrices, and eigenvectors of length 1 as columns.

    They come by ascending real part, then by imaginary part; TensorFlow leaves their order open, and the
    phase of the vectors.

    >>> from penstock import tensorflow as tf
    >>> values, vectors = tf.linalg.eig([[1.0, 1.0], [0.0, 2.0]])
    >>> print(values.numpy())
    [1.+0.j 2.+0.j]
    """
    found = factors.eig(_square(tensor, "eig"))
    return found.eigenvalues, found.eigenvectors


@named("tf.linalg.eigvals", "tf.eigvals")
def eigvals(tensor: Any, name: Any = None) -> EagerTensor:
    """Returns complex eigenvalues of square matrices, by ascending real part, then by imaginary part."""
    return factors.eigvals(_square(tensor, "eigvals"))  # type: ignore[return-value]


# -- triangular factors ---------------------------------------------------------------------------------


@composite(1, "lu")
def _lu(x: Any) -> tuple[Tensor, Tensor]:
    found = factors.lu(x)
    # The diagonal of the lower factor is ones, which stays unsaid.
    packed = native.tril(found.L, k=-1) + found.U
    return packed, native.argmax(native.abs(found.P), axis=-2).astype("int32")


@named("tf.linalg.lu")
def lu(input: Any, output_idx_type: Any = np.int32, name: Any = None) -> Any:
    """Returns both triangular factors in one matrix, and the order in which they hold the rows.

    The lower factor is below the diagonal, and has ones on it.

    >>> from penstock import tensorflow as tf
    >>> packed, order = tf.linalg.lu([[1.0, 3.0], [2.0, 4.0]])
    >>> print(packed.numpy().tolist(), order.numpy())
    [[2.0, 4.0], [0.5, 1.0]] [1 0]
    """
    packed, order = _lu(_square(input, "lu"))
    wanted = numpy_dtype(output_idx_type)
    return packed, order if wanted == np.int32 else native.astype(order, wanted)


def _given(lower_upper: Any, perm: Any, name: str) -> tuple[Any, Any]:
    packed, order = _square(lower_upper, name), integers(perm, "output_idx_type", "int32, int64")
    if order._spec.shape != packed._spec.shape[:-1]:
        raise InvalidArgumentError(
            f"{name}: the factors have shape {packed._spec.shape}, and the order {order._spec.shape}.",
            why="The order has one number for each row.",
            site=here(),
        )
    return packed, order


def _rows(x: Any, order: Any) -> Any:
    """Returns the rows of matrices in another order."""
    return native.take_along_axis(x, native.expand_dims(order, axis=-1), axis=-2)


@composite(2, "lu_reconstruct")
def _reconstruct(packed: Any, order: Any) -> Tensor:
    lower = native.tril(packed, k=-1) + native.eye(packed.shape[-1], dtype=packed.dtype)
    return _rows(native.matmul(lower, native.triu(packed)), native.argsort(order, axis=-1))  # type: ignore[no-any-return]


@named("tf.linalg.lu_reconstruct")
def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: Any = None) -> EagerTensor:
    """Returns the matrices whose factors are given."""
    return _reconstruct(*_given(lower_upper, perm, "lu_reconstruct"))  # type: ignore[return-value]


@composite(3, "lu_solve")
def _lu_solve(packed: Any, order: Any, rhs: Any) -> Tensor:
    lower = native.tril(packed, k=-1) + native.eye(packed.shape[-1], dtype=packed.dtype)
    half = linalg.solve_triangular(lower, _rows(rhs, order), lower=True)
    return linalg.solve_triangular(native.triu(packed), half, lower=False)


@named("tf.linalg.lu_solve")
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: Any = None
) -> EagerTensor:
    """Returns x with matrix @ x = rhs, of matrices whose factors are given."""
    packed, order = _given(lower_upper, perm, "lu_solve")
    packed, rhs = same_dtype((packed, rhs), "LuSolve")
    if rhs._spec.shape[:-1] != packed._spec.shape[:-1]:
        raise InvalidArgumentError(
            f"lu_solve: the factors have shape {packed._spec.shape}, and the right-hand sides "
            f"{rhs._spec.shape}.",
            remedy="Give the right-hand sides as columns of as many matrices.",
            site=here(),
        )
    return _lu_solve(packed, order, rhs)  # type: ignore[return-value]


@named("tf.linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the inverse of matrices whose factors are given."""
    packed, order = _given(lower_upper, perm, "lu_matrix_inverse")
    shape = packed._spec.shape
    one = np.broadcast_to(np.eye(shape[-1], dtype=packed._spec.dtype), shape)
    return _lu_solve(packed, order, tensor_of(np.ascontiguousarray(one)))  # type: ignore[return-value]


# -- least squares --------------------------------------------------------------------------------------


@composite(2, "lstsq")
def _least_squares(matrix: Any, rhs: Any, penalty: float) -> Tensor:
    turned = native.matrix_transpose(matrix)
    turned = native.conj(turned) if turned.dtype.kind == "c" else turned
    rows, columns = matrix.shape[-2:]
    if not penalty:
        return native.matmul(linalg.pinv(matrix), rhs)
    if rows >= columns:
        sizes = native.matmul(turned, matrix) + penalty * native.eye(columns, dtype=matrix.dtype)
        return linalg.solve(sizes, native.matmul(turned, rhs))
    sizes = native.matmul(matrix, turned) + penalty * native.eye(rows, dtype=matrix.dtype)
    return native.matmul(turned, linalg.solve(sizes, rhs))


@named("tf.linalg.lstsq", "tf.compat.v1.matrix_solve_ls")
def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: Any = None
) -> EagerTensor:
    """Returns the x for which the squares of matrix @ x - rhs, and of x times the penalty, are smallest.

    `fast` does nothing: without a penalty the pseudo-inverse is used, which takes any rank.
    """
    a, b = same_dtype((matrix, rhs), "MatrixSolveLs")
    if min(len(a._spec.shape), len(b._spec.shape)) < 2 or a._spec.shape[:-1] != b._spec.shape[:-1]:
        raise InvalidArgumentError(
            f"lstsq: the matrix has shape {a._spec.shape}, and the right-hand sides {b._spec.shape}.",
            remedy="Give the right-hand sides as columns of a matrix with as many rows.",
            site=here(),
        )
    penalty = float(l2_regularizer)
    if penalty < 0.0:
        raise ArgumentError(f"lstsq: l2_regularizer is {penalty}; it must not be negative.", site=here())
    return _least_squares(a, b, penalty)  # type: ignore[return-value]


# -- tridiagonal systems --------------------------------------------------------------------------------


def _whole(diagonals: Any, diagonals_format: str, name: str) -> Any:
    """Returns matrices whose three diagonals are given in one of TensorFlow's ways."""
    if diagonals_format not in ("compact", "sequence", "matrix"):
        raise ArgumentError(f"Unrecognized diagonals_format: {diagonals_format}", site=here())
    if diagonals_format == "matrix":
        return _band(_square(diagonals, name))
    if diagonals_format == "sequence":
        if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
            raise ArgumentError("Expected diagonals to be a sequence of length 3.", site=here())
        upper, main, lower = same_dtype(diagonals, name)
        length = main._spec.shape[-1]
        nothing = native.zeros((*main._spec.shape[:-1], 1), dtype=main._spec.dtype)
        if upper._spec.shape[-1] == length - 1:
            upper = native.concat((upper, nothing), axis=-1)
        if lower._spec.shape[-1] == length - 1:
            lower = native.concat((nothing, lower), axis=-1)
        if not upper._spec.shape == lower._spec.shape == main._spec.shape:
            raise ArgumentError(
                f"{name}: the diagonals have shapes {upper._spec.shape}, {main._spec.shape} and "
                f"{lower._spec.shape}.",
                site=here(),
            )
        return _spread(native.stack((upper, main, lower), axis=-2))
    diagonals = operand(diagonals)
    if len(diagonals._spec.shape) < 2 or diagonals._spec.shape[-2] != 3:
        raise ArgumentError(
            f"Expected diagonals to have shape [..., 3, M], and got {list(diagonals._spec.shape)}.",
            site=here(),
        )
    return _spread(diagonals)


@composite(1, "tridiagonal")
def _band(x: Any) -> Tensor:
    return native.triu(native.tril(x, k=1), k=-1)


@composite(1, "tridiagonal")
def _spread(diagonals: Any) -> Tensor:
    length = diagonals.shape[-1]
    rows, columns = np.indices((length, length))
    total: Any = 0.0
    for number, offset in enumerate((1, 0, -1)):
        row = native.take(diagonals, native.asarray([number]), axis=-2)
        on = native.asarray(columns - rows == offset)
        total = total + native.where(on, native.matrix_transpose(row), 0.0)
    return total  # type: ignore[no-any-return]


@named("tf.linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: Any = None
) -> EagerTensor:
    """Returns the product of matrices with three diagonals and others; the diagonals are as in the solve."""
    whole = _whole(diagonals, diagonals_format, "tridiagonal_matmul")
    whole, rhs = same_dtype((whole, rhs), "TridiagonalMatMul")
    return native.matmul(whole, rhs)  # type: ignore[return-value]


@named("tf.linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: Any = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> EagerTensor:
    """Returns x with matrix @ x = rhs, of matrices that have three diagonals.

    "compact" diagonals are [..., 3, M]: that above the main one, whose last element is not read, the main
    one, and that below, whose first is not read. "sequence" ones are three tensors, and those of a "matrix"
    are taken from it. `partial_pivoting` does nothing: rows are exchanged in any case.

    >>> from penstock import tensorflow as tf
    >>> diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]]
    >>> print(tf.linalg.tridiagonal_solve(diagonals, [3.0, 3.0]).numpy().round(3))
    [1. 1.]
    """
    if perturb_singular:
        raise ArgumentError(
            "tf.linalg.tridiagonal_solve(perturb_singular=True) is not supported by penstock.tensorflow yet.",
            site=here(),
        )
    whole = _whole(diagonals, diagonals_format, "tridiagonal_solve")
    whole, rhs = same_dtype((whole, rhs), "TridiagonalSolve")
    vectors = len(rhs._spec.shape) == len(whole._spec.shape) - 1
    if conjugate_rhs and rhs._spec.dtype.kind == "c":
        rhs = native.conj(rhs)
    if vectors:
        rhs = native.expand_dims(rhs, axis=-1)
    elif transpose_rhs:
        rhs = native.matrix_transpose(rhs)
    if rhs._spec.shape[:-1] != whole._spec.shape[:-1]:
        raise ArgumentError(
            f"tridiagonal_solve: the matrices have shape {whole._spec.shape}, and the right-hand sides "
            f"{rhs._spec.shape}.",
            site=here(),
        )
    found = linalg.solve(whole, rhs)
    return native.squeeze(found, axis=-1) if vectors else found  # type: ignore[return-value]
