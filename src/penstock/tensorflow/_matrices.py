"""Parts, products and decompositions of matrices under TensorFlow's names: the last two axes are theirs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.functions import array as native
from penstock.functions import linalg
from penstock.functions.composite import composite
from penstock.ops.customary import turns
from penstock.ops.validation import plain
from penstock.tensorflow._bands import Band
from penstock.tensorflow._convert import operand, same_dtype, tensor_of
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._products import norm
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _matrix(x: Any, name: str) -> Any:
    x = operand(x)
    if len(x._spec.shape) < 2:
        raise InvalidArgumentError(
            f"{name}: input must have rank at least 2, has {len(x._spec.shape)}.", site=here()
        )
    return x


# -- parts ----------------------------------------------------------------------------------------------


@composite(1, "matrix_transpose")
def _transpose(x: Any, conjugate: bool) -> Tensor:
    turned = native.matrix_transpose(x)
    return native.conj(turned) if conjugate and turned.dtype.kind == "c" else turned


@named("tf.linalg.matrix_transpose", "tf.compat.v1.matrix_transpose")
def matrix_transpose(a: Any, name: Any = "matrix_transpose", conjugate: bool = False) -> EagerTensor:
    """Returns matrices with rows and columns exchanged."""
    return _transpose(_matrix(a, "matrix_transpose"), bool(conjugate))  # type: ignore[return-value]


@named("tf.linalg.adjoint")
def adjoint(matrix: Any, name: Any = None) -> EagerTensor:
    """Returns matrices transposed and conjugated."""
    return _transpose(_matrix(matrix, "adjoint"), True)  # type: ignore[return-value]


@named("tf.linalg.trace", "tf.compat.v1.trace")
def trace(x: Any, name: Any = None) -> EagerTensor:
    """Returns the sum of each diagonal."""
    return _trace(_matrix(x, "trace"))  # type: ignore[return-value]


@composite(1, "trace")
def _trace(x: Any) -> Tensor:
    return native.sum(linalg.diagonal(x), axis=-1, dtype=x.dtype)


@named("tf.linalg.diag_part", "tf.compat.v1.matrix_diag_part")
def diag_part(input: Any, name: Any = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> EagerTensor:  # fmt: skip # noqa: E501
    """Returns the diagonals of matrices; `k` counts those above the main one.

    Of `k=(low, high)` there is a row for each diagonal, the highest first. Shorter ones are filled up with
    `padding_value`: where `align` says so, those above on the one side and those below on the other.

    >>> from penstock import tensorflow as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 1)).numpy().tolist()
    [[0, 2], [1, 4], [3, 0]]
    """
    x = _matrix(input, "diag_part")
    band = Band.of(k, align, x._spec.shape[-2], x._spec.shape[-1])
    return _diag_part(x, band, plain(padding_value))  # type: ignore[return-value]


@composite(1, "diag_part")
def _diag_part(x: Any, band: Band, fill: Any) -> Tensor:
    leading = x.shape[:-2]
    if band.is_main:
        return linalg.diagonal(x)
    rows, columns, there = band.in_matrix()
    flat = native.reshape(x, (*leading, math.prod(x.shape[-2:])))
    found = native.take(flat, native.asarray((rows * x.shape[-1] + columns).reshape(-1)), axis=-1)
    found = native.where(native.asarray(there.reshape(-1)), found, native.asarray(fill, dtype=x.dtype))
    return native.reshape(found, (*leading, *band.shape))


@composite(1, "diag")
def _diag(diagonal: Any, band: Band, fill: Any) -> Tensor:
    leading = diagonal.shape[: len(diagonal.shape) - len(band.shape)]
    places, there = band.in_diagonals()
    flat = native.reshape(diagonal, (*leading, math.prod(band.shape)))
    spread = native.take(flat, native.asarray(places.reshape(-1)), axis=-1)
    whole = native.reshape(spread, (*leading, band.rows, band.columns))
    return native.where(native.asarray(there), whole, native.asarray(fill, dtype=diagonal.dtype))


@named("tf.linalg.diag", "tf.compat.v1.matrix_diag")
def diag(diagonal: Any, name: Any = "diag", k: Any = 0, num_rows: int = -1, num_cols: int = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> EagerTensor:  # fmt: skip # noqa: E501
    """Returns matrices with these diagonals, as `tf.linalg.diag_part` gives them.

    `padding_value` stands elsewhere. They are square, and as small as they can be, unless `num_rows` or
    `num_cols` says otherwise.

    >>> from penstock import tensorflow as tf
    >>> tf.linalg.diag([1, 2], k=1).numpy().tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    x = operand(diagonal)
    if not x._spec.shape:
        raise InvalidArgumentError("diagonal must be at least 1-dim, received shape: []", site=here())
    band = Band.around(x._spec.shape, k, align, int(num_rows), int(num_cols))
    return _diag(x, band, plain(padding_value))  # type: ignore[return-value]


@composite(2, "set_diag")
def _set_diag(x: Any, diagonal: Any, band: Band) -> Tensor:
    places, there = band.in_diagonals()
    flat = native.reshape(diagonal, (*x.shape[:-2], math.prod(band.shape)))
    spread = native.reshape(native.take(flat, native.asarray(places.reshape(-1)), axis=-1), x.shape)
    return native.where(native.asarray(there), spread, x)


@named("tf.linalg.set_diag", "tf.compat.v1.matrix_set_diag")
def set_diag(input: Any, diagonal: Any, name: Any = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> EagerTensor:  # fmt: skip # noqa: E501
    """Returns matrices with other diagonals, given as `tf.linalg.diag_part` gives them."""
    x, given = same_dtype((input, diagonal), "MatrixSetDiagV3")
    x = _matrix(x, "set_diag")
    band = Band.of(k, align, *x._spec.shape[-2:])
    wanted = (*x._spec.shape[:-2], *band.shape)
    if given._spec.shape != wanted:
        raise InvalidArgumentError(
            f"set_diag: the diagonal has shape {given._spec.shape}, and {wanted} was expected.", site=here()
        )
    return _set_diag(x, given, band)  # type: ignore[return-value]


@composite(1, "band_part")
def _band_part(x: Any, lower: int, upper: int) -> Tensor:
    x = native.tril(x, k=upper) if upper >= 0 else x
    return native.triu(x, k=-lower) if lower >= 0 else x


@named("tf.linalg.band_part", "tf.compat.v1.matrix_band_part")
def band_part(input: Any, num_lower: Any, num_upper: Any, name: Any = None) -> EagerTensor:
    """Returns matrices with only the given number of diagonals below and above the main one; -1 keeps all.

    >>> from penstock import tensorflow as tf
    >>> print(tf.linalg.band_part(tf.ones([2, 2]), -1, 0).numpy())
    [[1. 0.]
     [1. 1.]]
    """
    return _band_part(_matrix(input, "band_part"), int(num_lower), int(num_upper))  # type: ignore[return-value]


@named("tf.linalg.tensor_diag", "tf.compat.v1.diag")
def tensor_diag(diagonal: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with twice the axes, zero but where both halves of the place are the same."""
    x = operand(diagonal)
    shape = x._spec.shape
    return native.reshape(
        _diag(native.reshape(x, (-1,)), Band.around((math.prod(shape),)), 0), (*shape, *shape)
    )  # type: ignore[return-value]


@named("tf.linalg.tensor_diag_part", "tf.compat.v1.diag_part")
def tensor_diag_part(input: Any, name: Any = None) -> EagerTensor:
    """Returns what `tensor_diag` was given."""
    x = operand(input)
    half = x._spec.shape[: len(x._spec.shape) // 2]
    count = math.prod(half)
    return native.reshape(
        _diag_part(native.reshape(x, (count, count)), Band.of(0, "RIGHT_LEFT", count, count), 0), half
    )  # type: ignore[return-value]


# -- systems and decompositions -------------------------------------------------------------------------


@composite(1, "det")
def _det(x: Any) -> Tensor:
    return linalg.det(x)


@composite(1, "slogdet")
def _slogdet(x: Any) -> tuple[Tensor, Tensor]:
    found = linalg.slogdet(x)
    return found.sign, found.logabsdet


@composite(1, "inv")
def _inv(x: Any, adjoint: bool) -> Tensor:
    return linalg.inv(_transposed(x) if adjoint else x)


def _transposed(x: Any) -> Any:
    turned = native.matrix_transpose(x)
    return native.conj(turned) if turned.dtype.kind == "c" else turned


@composite(2, "solve")
def _solve(a: Any, b: Any, adjoint: bool) -> Tensor:
    return linalg.solve(_transposed(a) if adjoint else a, b)


@composite(2, "triangular_solve")
def _triangular(a: Any, b: Any, lower: bool, adjoint: bool) -> Tensor:
    return linalg.solve_triangular(a, b, lower=lower, adjoint=adjoint)


@composite(1, "expm")
def _expm(x: Any) -> Tensor:
    return linalg.expm(x)


@composite(1, "cholesky")
def _cholesky(x: Any) -> Tensor:
    return linalg.cholesky(x)


@composite(2, "cholesky_solve")
def _cholesky_solve(chol: Any, b: Any) -> Tensor:
    half = linalg.solve_triangular(chol, b, lower=True)
    return linalg.solve_triangular(chol, half, lower=True, adjoint=True)


def _event(name: str, event: Any, x: Any, *options: Any) -> Any:
    matrix = _matrix(x, name)
    shape = matrix._spec.shape
    if name in ("det", "inv", "cholesky", "logdet", "slogdet", "eigh", "expm") and shape[-1] != shape[-2]:
        raise InvalidArgumentError(f"{name}: Input matrix must be square. Got: {list(shape)}", site=here())
    try:
        return event(matrix, *options)
    except PenstockError:
        raise


@named("tf.linalg.det", "tf.compat.v1.matrix_determinant")
def det(input: Any, name: Any = None) -> EagerTensor:
    """Returns the determinant of matrices."""
    return _event("det", _det, input)  # type: ignore[no-any-return]


class LogMatrixDeterminant(NamedTuple):
    """What `slogdet` returns."""

    sign: Any
    log_abs_determinant: Any


@named("tf.linalg.slogdet")
def slogdet(input: Any, name: Any = None) -> Any:
    """Returns the sign of each determinant, and the logarithm of its absolute value."""
    return LogMatrixDeterminant(*_event("slogdet", _slogdet, input))


@named("tf.linalg.logdet")
def logdet(matrix: Any, name: Any = None) -> EagerTensor:
    """Returns the logarithm of the determinant of positive definite matrices."""
    return slogdet(matrix)[1]  # type: ignore[no-any-return]


@named("tf.linalg.inv", "tf.compat.v1.matrix_inverse")
def inv(input: Any, adjoint: bool = False, name: Any = None) -> EagerTensor:
    """Returns the inverse of matrices."""
    return _event("inv", _inv, input, bool(adjoint))  # type: ignore[no-any-return]


@named("tf.linalg.expm")
def expm(input: Any, name: Any = None) -> EagerTensor:
    """Returns the exponential of matrices.

    >>> from penstock import tensorflow as tf
    >>> print(tf.linalg.expm([[0.0, 2.0], [0.0, 0.0]]).numpy())
    [[1. 2.]
     [0. 1.]]
    """
    return _event("expm", _expm, input)  # type: ignore[no-any-return]


@named("tf.linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: Any = None) -> EagerTensor:
    """Returns the pseudo-inverse of matrices; singular values below rcond times the largest count as 0."""
    x = _matrix(a, "pinv")
    rows, columns = x._spec.shape[-2:]
    share = 10.0 * max(rows, columns) * float(np.finfo(x._spec.dtype).eps) if rcond is None else float(rcond)
    return linalg.pinv(x, rtol=share)  # type: ignore[return-value]


@named("tf.linalg.solve", "tf.compat.v1.matrix_solve")
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: Any = None) -> EagerTensor:
    """Returns x with matrix @ x = rhs, whose columns are the right-hand sides."""
    a, b = same_dtype((matrix, rhs), "MatrixSolve")
    if len(b._spec.shape) < 2 or a._spec.shape[-1] != b._spec.shape[-2]:
        raise InvalidArgumentError(
            f"Input matrix and rhs are incompatible: {list(a._spec.shape)} and {list(b._spec.shape)}.",
            remedy="Give the right-hand sides as columns of a matrix.",
            site=here(),
        )
    return composed(_solve, "solve", (a, b), adjoint=bool(adjoint))


@named("tf.linalg.triangular_solve", "tf.compat.v1.matrix_triangular_solve")
def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: Any = None
) -> EagerTensor:
    """Returns x with matrix @ x = rhs, for a matrix of which one triangle is read."""
    a, b = same_dtype((matrix, rhs), "MatrixTriangularSolve")
    return composed(_triangular, "triangular_solve", (a, b), lower=bool(lower), adjoint=bool(adjoint))


@named("tf.linalg.cholesky", "tf.compat.v1.cholesky")
def cholesky(input: Any, name: Any = None) -> EagerTensor:
    """Returns the lower factor of positive definite matrices; reads only their lower triangles."""
    return _event("cholesky", _cholesky, input)  # type: ignore[no-any-return]


@named("tf.linalg.cholesky_solve", "tf.compat.v1.cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: Any = None) -> EagerTensor:
    """Returns x with chol @ chol^T @ x = rhs."""
    return composed(_cholesky_solve, "cholesky_solve", tuple(same_dtype((chol, rhs), "CholeskySolve")))


class Qr(NamedTuple):
    """What `qr` returns."""

    q: Any
    r: Any


@composite(1, "qr")
def _qr(x: Any, full: bool) -> tuple[Any, Any]:
    # With the signs that the reflections leave, as in TensorFlow.
    q, r = linalg.qr(x, mode="complete" if full else "reduced")
    turn = turns(x, kind="qr")
    rest = native.ones((*x.shape[:-2], q.shape[-1] - turn.shape[-1]), dtype=x.dtype)
    turn = native.concat([turn, rest], axis=-1)
    return q * native.conj(turn)[..., None, :], r * turn[..., : r.shape[-2], None]


@named("tf.linalg.qr", "tf.compat.v1.qr")
def qr(input: Any, full_matrices: bool = False, name: Any = None) -> Any:
    """Returns q with orthonormal columns, and r, upper triangular, with q @ r the matrix."""
    return Qr(*_event("qr", _qr, input, bool(full_matrices)))


@named("tf.linalg.svd", "tf.compat.v1.svd")
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: Any = None) -> Any:
    """Returns singular values s, u and v with u @ diag(s) @ v^T the matrix; s alone without `compute_uv`."""
    x = _matrix(tensor, "svd")
    if not compute_uv:
        return linalg.svdvals(x)
    found = linalg.svd(x, full_matrices=bool(full_matrices))
    return found.S, found.U, _transpose(found.Vh, True)


def _of_lower_part(x: Any) -> Any:
    """Returns the symmetric matrix whose lower triangle x has: only that is read, and has the gradient."""
    return native.tril(x) + linalg.matrix_transpose(native.conj(native.tril(x, k=-1)))


@composite(1, "eigh")
def _eigh(x: Any) -> tuple[Any, Any]:
    found = linalg.eigh(_of_lower_part(x))
    return found.eigenvalues, found.eigenvectors


@composite(1, "eigh")
def _eigvalsh(x: Any) -> Any:
    return linalg.eigvalsh(_of_lower_part(x))


@named("tf.linalg.eigh", "tf.compat.v1.self_adjoint_eig")
def eigh(tensor: Any, name: Any = None) -> Any:
    """Returns the eigenvalues of symmetric matrices, in order, and the eigenvectors as columns."""
    return _event("eigh", _eigh, tensor)


@named("tf.linalg.eigvalsh", "tf.compat.v1.self_adjoint_eigvals")
def eigvalsh(tensor: Any, name: Any = None) -> EagerTensor:
    """Returns the eigenvalues of symmetric matrices, in order."""
    return _event("eigh", _eigvalsh, tensor)  # type: ignore[no-any-return]


@composite(1, "matrix_rank")
def _rank(x: Any, tolerance: float) -> Tensor:
    values = linalg.svdvals(x)
    if tolerance < 0.0:
        largest = native.max(values, axis=-1, keepdims=True)
        least = largest * (max(x.shape[-2:]) * float(np.finfo(x.dtype).eps))
    else:
        least = native.full_like(values, tolerance)
    return native.sum((values > least).astype("int32"), axis=-1, dtype=np.int32)


@named("tf.linalg.matrix_rank")
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: Any = None) -> EagerTensor:
    """Returns how many singular values are above `tol`."""
    return _rank(_matrix(a, "matrix_rank"), -1.0 if tol is None else float(tol))  # type: ignore[return-value]


@named("tf.linalg.cross", "tf.compat.v1.cross")
def cross(a: Any, b: Any, name: Any = None) -> EagerTensor:
    """Returns the cross product of vectors of three, along the last axis."""
    a, b = same_dtype((a, b), "Cross")
    return linalg.cross(a, b)  # type: ignore[return-value]


@named("tf.linalg.normalize")
def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: Any = None) -> Any:
    """Returns a tensor divided by its norm, and the norm."""
    x = tensor_of(tensor)
    size = norm(x, ord, axis, True)
    return x / size, size
