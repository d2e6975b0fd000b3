"""Products, parts and decompositions of matrices under Paddle's names."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import linalg as native_linalg
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.ops.customary import turns
from penstock.paddle import _complex, _math
from penstock.paddle import _views as views
from penstock.paddle._convert import called, operand
from penstock.paddle._declaring import in_linalg, in_paddle, method
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import as_result, saving
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor


@in_paddle
def einsum(equation: str, *operands: Any) -> Any:
    """Returns the sum of products that an equation asks for.

    >>> from penstock import paddle
    >>> paddle.einsum("ij,j->i", paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([1.0, 10.0])).tolist()
    [21.0]
    """
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    left, _, right = equation.replace(" ", "").partition("->")
    if len(given) == 1 and left == right and left.isalpha() and len(set(left)) == len(left):
        return given[0][...]
    return called(native.einsum, equation, *map(operand, given))


def _event(operands: int, name: str) -> Any:
    return composite(operands, name)


@_event(2, "tensordot")  # type: ignore[untyped-decorator]
def _tensordot(x: Any, y: Any, left: Any, right: Any) -> Tensor:
    return native.tensordot(x, y, axes=(left, right))


@method
def tensordot(x: Any, y: Any, axes: Any = 2, name: Any = None) -> Any:
    """Returns the sum of products over the last `axes` axes of x and first of y, or over axes named."""
    x, y = (operand(x), operand(y))
    rank = len(x._spec.shape)
    if isinstance(axes, int):
        left, right = tuple(range(rank - axes, rank)), tuple(range(axes))
    else:
        # Those that come after the second are not read.
        pair = [[one] if isinstance(one, int) else list(one) for one in axes[:2]]
        pair = [pair[0], pair[0]] if len(pair) == 1 else pair
        if all(isinstance(one, int) for one in axes):
            pair = [list(axes), list(axes)]
        # The shorter list continues like the longer one.
        left, right = (tuple(one + other[len(one) :]) for one, other in (pair, pair[::-1]))
    return called(_tensordot, x, y, left, right)


@_event(2, "inner")  # type: ignore[untyped-decorator]
def _inner(x: Any, y: Any) -> Tensor:
    if not x.shape or not y.shape:
        return x * y  # type: ignore[no-any-return]
    return native.tensordot(x, y, axes=((len(x.shape) - 1,), (len(y.shape) - 1,)))


@method
def inner(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the sums of products over the last axes."""
    return called(_inner, operand(x), operand(y))


@method
def mv(x: Any, vec: Any, name: Any = None) -> Any:
    """Returns the product of a matrix and a vector."""
    x, vec = operand(x), operand(vec)
    return saving(einsum("ij,j->i", x, vec), user_frame(1), x, vec)


@_event(3, "addmm")  # type: ignore[untyped-decorator]
def _addmm(input: Any, x: Any, y: Any, beta: float, alpha: float) -> Tensor:
    return input * beta + native.matmul(x, y) * alpha  # type: ignore[no-any-return]


@method("addmm_")
def addmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns beta * input + alpha * x @ y, of matrices x and y; `input` broadcasts to the product."""
    input, x, y = operand(input), operand(x), operand(y)
    if x._spec.ndim != 2 or y._spec.ndim != 2:
        raise InvalidValueError(
            f"The dimension of x, y should be 2 but receive x's shape: {list(x._spec.shape)}, y's shape: "
            f"{list(y._spec.shape)}",
            site=here(),
        )
    return called(_addmm, input, x, y, float(beta), float(alpha))


@_event(2, "kron")  # type: ignore[untyped-decorator]
def _kron(x: Any, y: Any) -> Tensor:
    return native.kron(x, y)


@method
def kron(x: Any, y: Any, name: Any = None) -> Any:
    """Returns Kronecker's product."""
    return called(_kron, operand(x), operand(y))


@_event(2, "cross")  # type: ignore[untyped-decorator]
def _cross(x: Any, y: Any, axis: int) -> Tensor:
    return native_linalg.cross(x, y, axis=axis)


@method("paddle.linalg.cross")
def cross(x: Any, y: Any, axis: int = 9, name: Any = None) -> Any:
    """Returns the cross product along an axis of length 3, the first such one if none is named."""
    x, y = (operand(x), operand(y))
    if axis == 9:
        axis = next((i for i, n in enumerate(x._spec.shape) if n == 3), -1)
    return called(_cross, x, y, int(axis))


@method
def dist(x: Any, y: Any, p: float = 2, name: Any = None) -> Any:
    """Returns the norm of order p of x - y."""
    x, y = operand(x), operand(y)
    found = called(_math.norm_of_vectors, x - y, float(p), None, False)
    return saving(found, user_frame(1), x, y)


# -- parts ----------------------------------------------------------------------------------------------


@_event(1, "diagonal")  # type: ignore[untyped-decorator]
def _diagonal(x: Any, offset: int, axis1: int, axis2: int) -> Tensor:
    return native_linalg.diagonal(native.moveaxis(x, (axis1, axis2), (-2, -1)), offset=offset)


@method("paddle.linalg.diagonal")
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None) -> Any:
    """Returns the diagonals over two axes, as the last axis."""
    x = operand(x)
    found = called(_diagonal, x, int(offset), int(axis1), int(axis2))
    return views.show(found, x, lambda layout: layout.diagonal(int(offset), int(axis1), int(axis2)))


@_event(1, "trace")  # type: ignore[untyped-decorator]
def _trace(x: Any, offset: int, axis1: int, axis2: int) -> Tensor:
    moved = native.moveaxis(x, (axis1, axis2), (-2, -1))
    return native.sum(native_linalg.diagonal(moved, offset=offset), axis=-1, dtype=x.dtype)


@method
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None) -> Any:
    """Returns the sums of the diagonals over two axes."""
    return called(_trace, operand(x), int(offset), int(axis1), int(axis2))


@_event(1, "diag")  # type: ignore[untyped-decorator]
def _embedded(x: Any, offset: int, padding: float) -> Tensor:
    length = x.shape[-1] + abs(offset)
    rows, columns = np.indices((length, length))
    on = columns - rows == offset
    place = np.where(on, np.minimum(rows, columns), 0).reshape(-1)
    spread = native.reshape(native.take(x, native.asarray(place), axis=-1), (*x.shape[:-1], length, length))
    return native.where(native.asarray(on), spread, native.full_like(spread, padding))


@method
def diag(x: Any, offset: int = 0, padding_value: float = 0, name: Any = None) -> Any:
    """Returns a matrix with this diagonal, or, of a matrix, its diagonal."""
    x = operand(x)
    if len(x._spec.shape) == 1:
        padding = float(padding_value) if x._spec.dtype.kind in "fV" else int(padding_value)
        return called(_embedded, x, int(offset), padding)
    if len(x._spec.shape) != 2:
        raise InvalidValueError(
            f"The dimension of input x must be either 1 or 2, but received {len(x._spec.shape)}", site=here()
        )
    return called(_diagonal, x, int(offset), 0, 1)


@method
def diagflat(x: Any, offset: int = 0, name: Any = None) -> Any:
    """Returns a matrix whose diagonal has all elements of x."""
    return diag(native.reshape(operand(x), (-1,)), offset)


@_event(1, "diag_embed")  # type: ignore[untyped-decorator]
def _without_history(x: Any, offset: int, padding: float) -> Tensor:
    return _embedded(pointwise.stop_gradient(x), offset, padding)  # type: ignore[no-any-return]


@method
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Returns matrices whose diagonals are the last axis; no gradient passes, as in Paddle."""
    x = operand(input)
    made = called(_without_history, x, int(offset), 0.0 if x._spec.dtype.kind in "fV" else 0)
    return made if (dim1, dim2) == (-2, -1) else native.moveaxis(made, (-2, -1), (dim1, dim2))


# -- decompositions -------------------------------------------------------------------------------------


@_event(1, "det")  # type: ignore[untyped-decorator]
def _det(x: Any) -> Tensor:
    return native_linalg.det(x)


@in_linalg
def det(x: Any, name: Any = None) -> Any:
    """Returns the determinant of matrices."""
    return _det(operand(x))


@_event(1, "slogdet")  # type: ignore[untyped-decorator]
def _slogdet(x: Any) -> Tensor:
    found = native_linalg.slogdet(x)
    return native.stack([found.sign, found.logabsdet], axis=0)


@in_linalg("paddle.Tensor.slogdet")
def slogdet(x: Any, name: Any = None) -> Any:
    """Returns the sign of each determinant, and the logarithm of its absolute value, stacked."""
    return _slogdet(operand(x))


@_event(1, "inverse")  # type: ignore[untyped-decorator]
def _inv(x: Any) -> Tensor:
    return native_linalg.inv(x)


@in_linalg("paddle.Tensor.inverse", "paddle.inverse")
def inv(x: Any, name: Any = None) -> Any:
    """Returns the inverse of matrices."""
    return _inv(operand(x))


@_event(1, "matrix_exp")  # type: ignore[untyped-decorator]
def _matrix_exp(x: Any) -> Tensor:
    return native_linalg.expm(x)


@in_linalg
def matrix_exp(x: Any, name: Any = None) -> Any:
    """Returns the exponential of matrices."""
    return called(_matrix_exp, operand(x))


@_event(1, "cholesky")  # type: ignore[untyped-decorator]
def _cholesky(x: Any, upper: bool) -> Tensor:
    return native_linalg.cholesky(x, upper=upper)


@method("paddle.linalg.cholesky")
def cholesky(x: Any, upper: bool = False, name: Any = None) -> Any:
    """Returns the lower, or upper, factor of positive definite matrices."""
    return called(_cholesky, operand(x), bool(upper))


@_event(2, "solve")  # type: ignore[untyped-decorator]
def _solve(x: Any, y: Any) -> Tensor:
    return native_linalg.solve(x, y)


@in_linalg("paddle.Tensor.solve")
def solve(x: Any, y: Any, left: bool = True, name: Any = None) -> Any:
    """Returns z with x @ z = y."""
    if not left:
        turned = called(_solve, native.matrix_transpose(operand(x)), native.matrix_transpose(operand(y)))
        return native.matrix_transpose(turned)
    return called(_solve, operand(x), operand(y))


@_event(2, "triangular_solve")  # type: ignore[untyped-decorator]
def _triangular(x: Any, y: Any, upper: bool, transpose: bool, unit: bool) -> Tensor:
    return native_linalg.solve_triangular(x, y, lower=not upper, transposed=transpose, unit_diagonal=unit)


@in_linalg
def triangular_solve(
    x: Any, y: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False, name: Any = None
) -> Any:
    """Returns z with x @ z = y, for a matrix of which one triangle is read."""
    both = (operand(x), operand(y))
    return called(_triangular, *both, bool(upper), bool(transpose), bool(unitriangular))


@composite(1, "qr")
def _qr(x: Any, mode: str) -> tuple[Tensor, Tensor]:
    # With the signs that LAPACK's reflections leave, as in Paddle.
    q, r = native_linalg.qr(x, mode=mode)
    turn = turns(x, kind="qr")
    rest = native.ones((*x.shape[:-2], q.shape[-1] - turn.shape[-1]), dtype=x.dtype)
    turn = native.concat([turn, rest], axis=-1)
    return q * native.conj(turn)[..., None, :], r * turn[..., :, None]


@in_linalg("paddle.Tensor.qr")
def qr(x: Any, mode: str = "reduced", name: Any = None) -> Any:
    """Returns q with orthonormal columns, and r, upper triangular, with q @ r the matrix."""
    x = operand(x)
    found = saving(called(_qr, x, "reduced" if mode == "r" else mode), user_frame(1), x, result=True)
    return found[1] if mode == "r" else found


@composite(1, "svd")
def _svd(x: Any, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    # With the signs that LAPACK gives them, as in Paddle.
    u, s, vh = native_linalg.svd(x, full_matrices=full)
    turn = turns(x, kind="svd full" if full else "svd")
    count = s.shape[-1]
    of_right = native.conj(turn)[..., :count, None]
    right = native.concat([vh[..., :count, :] * of_right, vh[..., count:, :]], axis=-2)
    return u * turn[..., None, :], s, right


@in_linalg
def svd(x: Any, full_matrices: bool = False, name: Any = None) -> Any:
    """Returns u, the singular values, and vh, with u @ diag(s) @ vh the matrix."""
    x = operand(x)
    return saving(called(_svd, x, bool(full_matrices)), user_frame(1), x, result=True)


@composite(1, "eigh")
def _eigh(x: Any, triangle: str) -> tuple[Tensor, Tensor]:
    # With the signs that LAPACK gives them, as in Paddle.
    values, vectors = native_linalg.eigh(x)
    vectors = vectors * turns(x, kind=triangle)[..., None, :]
    return values, unturned(vectors, vectors) if vectors.dtype.kind == "c" else vectors


def unturned(vectors: Any, rows: Any) -> Any:
    """Returns complex vectors whose derivatives do not change their phase, which Paddle keeps fixed.

    `rows` are the adjoint of the inverse of the vectors: of Hermitian matrices, the vectors themselves.
    """
    along = native.sum(native.conj(native.stop_gradient(rows)) * vectors, axis=-2, keepdims=True)
    return vectors * (1.0 - 1j * native.imag(along))


@in_linalg
def eigh(x: Any, UPLO: str = "L", name: Any = None) -> Any:
    """Returns the eigenvalues of symmetric matrices, in order, and the eigenvectors as columns."""
    return saving(called(_eigh, _of_triangle(operand(x), UPLO), UPLO), user_frame(1), result=True)


@_event(1, "eigh")  # type: ignore[untyped-decorator]
def _mirrored(x: Any, lower: bool) -> Tensor:
    rows, columns = np.indices(x.shape[-2:])
    own = rows >= columns if lower else rows <= columns
    other = native.matrix_transpose(x)
    if x.dtype.kind == "c":
        other = native.conj(other)
        # A diagonal of complex numbers counts as its real parts.
        x = native.where(native.asarray(rows == columns), native.real(x).astype(x.dtype), x)
    found = native.where(native.asarray(own), x, other)
    # A gradient goes to both triangles, as in Paddle.
    mean: Any = (x + native.conj(native.matrix_transpose(x))) * 0.5
    return mean + native.stop_gradient(found - mean)  # type: ignore[no-any-return]


def _of_triangle(x: Any, UPLO: str) -> Any:
    """Returns symmetric matrices from one of their triangles; the other is not read."""
    if UPLO not in ("L", "U"):
        raise InvalidValueError(f"UPLO must be L or U. But received UPLO is: {UPLO}", site=here())
    return called(_mirrored, x, UPLO == "L")


@method("paddle.linalg.eigvalsh")
def eigvalsh(x: Any, UPLO: str = "L", name: Any = None) -> Any:
    """Returns the eigenvalues of symmetric matrices, in order."""
    return called(native_linalg.eigvalsh, _of_triangle(operand(x), UPLO))


@in_linalg("paddle.Tensor.pinv")
def pinv(x: Any, rcond: float = 1e-15, hermitian: bool = False, name: Any = None) -> Any:
    """Returns the pseudo-inverse; singular values below rcond times the largest count as 0.

    Of `hermitian` matrices only the lower triangle is read.
    """
    x = _of_triangle(operand(x), "L") if hermitian else operand(x)
    least = max(float(rcond), float(np.finfo(x._spec.dtype).eps))
    return called(native_linalg.pinv, x, rtol=least)


@_event(1, "matrix_power")  # type: ignore[untyped-decorator]
def _power(x: Any, n: int) -> Tensor:
    found = native_linalg.matrix_power(x, n)
    # What depends on x as a constant does: with a gradient of zeros.
    return found if n else native.where(False, x, found)


@in_linalg("paddle.Tensor.matrix_power")
def matrix_power(x: Any, n: int, name: Any = None) -> Any:
    """Returns matrices multiplied with themselves so often."""
    return called(_power, operand(x), int(n))


@in_linalg("paddle.Tensor.multi_dot")
def multi_dot(x: Any, name: Any = None) -> Any:
    """Returns the product of matrices, one after another."""
    return functools.reduce(lambda a, b: native.matmul(a, b), [operand(one) for one in x])


@method("paddle.linalg.matrix_transpose")
def matrix_transpose(x: Any, name: Any = None) -> Any:
    """Returns matrices with rows and columns exchanged."""
    return native.matrix_transpose(operand(x))


@method("baddbmm_")
def baddbmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns beta * input + alpha * x @ y, matrix by matrix."""
    return operand(input) * beta + _math.mm(x, y) * alpha


@method("paddle.linalg.vecdot")
def vecdot(x: Any, y: Any, axis: int = -1, name: Any = None) -> Any:
    """Returns the sums of products along an axis; complex numbers of x are conjugated."""
    x = operand(x)
    x = _complex.conj(x) if x._spec.dtype.kind == "c" else as_result(x, user_frame(1))
    return _math.sum(x * operand(y), axis)
