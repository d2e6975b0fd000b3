"""Matrices taken apart: eigenvalues of any matrix, triangular factors, reflections, factors of low rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions import linalg as native_linalg
from penstock.paddle import _creation, _manipulation, _math, _matrices
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_linalg, method
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import is_grad_enabled
from penstock.paddle._tensor import as_result, flagged, saving
from penstock.trace.source_site import here, user_frame


def _like(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns where each of the numbers that are wanted is among those found, none of them twice."""
    order = np.zeros(wanted.shape, np.int64)
    for places, some, others in zip(order, found, wanted, strict=True):
        left = list(range(len(some)))
        for k, one in enumerate(others):
            places[k] = left.pop(int(np.argmin(np.abs(some[left] - one))))
    return order


@method("paddle.linalg.eig")
def eig(x: Any, name: Any = None) -> Any:
    """Returns the eigenvalues of square matrices and, as columns, eigenvectors of length 1, both complex.

    They come in LAPACK's order, for which values are looked at. A gradient is that of `penstock.linalg.eig`:
    a loss may not depend on the sign, or phase, of a vector.
    """
    x = operand(x)
    array = np.asarray(x.detach())
    kind = np.complex128 if array.dtype in (np.float64, np.complex128) else np.complex64
    values, vectors = (np.asarray(one).astype(kind) for one in np.linalg.eig(array))
    if x.stop_gradient or not is_grad_enabled():
        return data(values), data(vectors)
    found: Any = native_linalg.eig(x)
    count = array.shape[-1]
    own = np.asarray(found.eigenvalues.detach()).reshape(-1, count)
    order = _like(own, values.reshape(-1, count)).reshape(values.shape)
    sorted_values = _manipulation.take_along_axis(found.eigenvalues, data(order), -1)
    columns = np.broadcast_to(order[..., None, :], vectors.shape).copy()
    turned = _manipulation.take_along_axis(found.eigenvectors, data(columns), -1)
    shown = np.asarray(turned.detach())
    phases = (shown.conj() * vectors).sum(-2, keepdims=True)
    inverse: Any = np.linalg.inv
    rows = data(inverse(vectors).conj().swapaxes(-1, -2))
    shown_vectors = _matrices.unturned(turned * data((phases / np.abs(phases)).astype(kind)), rows)
    return saving((sorted_values, shown_vectors), user_frame(1), result=True)


@method("paddle.linalg.eigvals")
def eigvals(x: Any, name: Any = None) -> Any:
    """Returns eigenvalues of square matrices, in LAPACK's order; no gradient passes, as in Paddle.

    The order is that of the transpose, which LAPACK is given.
    """
    array = np.asarray(operand(x).detach())
    kind = np.complex128 if array.dtype in (np.float64, np.complex128) else np.complex64
    return data(np.linalg.eigvals(array.swapaxes(-1, -2)).astype(kind))


def _swaps(matrix: np.ndarray[Any, Any], pivot: bool) -> np.ndarray[Any, Any]:
    """Returns, for each step of the elimination, the row that it brings up, counted from 0."""
    a = matrix.astype(np.result_type(matrix.dtype, np.float64))
    count = min(a.shape)
    found = np.arange(count)
    for k in range(count):
        best = k + int(np.abs(a[k:, k]).argmax()) if pivot else k
        found[k] = best
        a[[k, best]] = a[[best, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return found


def _order(swaps: np.ndarray[Any, Any], rows: int) -> np.ndarray[Any, Any]:
    """Returns where each row of the result comes from, after all exchanges."""
    order = np.arange(rows)
    for k, other in enumerate(swaps):
        order[[k, other]] = order[[other, k]]
    return order


def _eliminated(x: Any, order: Any) -> Any:
    """Returns both triangular factors of the rows of a matrix in an order, in one matrix; differentiable."""
    rows, columns = x._spec.shape
    a = _manipulation.gather(x, data(order.astype(np.int64)), 0)
    for k in range(min(rows, columns)):
        if k + 1 == rows:
            break
        below = a[k + 1 :, k : k + 1] / a[k : k + 1, k : k + 1]
        rest = a[k + 1 :, k + 1 :] - _math.matmul(below, a[k : k + 1, k + 1 :])
        lower = _manipulation.concat([a[k + 1 :, :k], below, rest], 1)
        a = _manipulation.concat([a[: k + 1], lower], 0)
    return a


@method("paddle.linalg.lu")
def lu(x: Any, pivot: bool = True, get_infos: bool = False, name: Any = None) -> Any:
    """Returns both triangular factors in one matrix, and the rows exchanged, counted from 1.

    Which rows are exchanged is looked at; with `get_infos` zeros come third, as the elimination always ends.
    """
    x = operand(x)
    array = np.asarray(x.detach())
    *batch, rows, columns = array.shape
    flat = array.reshape(-1, rows, columns)
    swaps = [_swaps(one, pivot) for one in flat]
    parts = x.reshape([len(flat), rows, columns])
    factors = [_eliminated(parts[i], _order(one, rows)) for i, one in enumerate(swaps)]
    packed = _manipulation.stack(factors).reshape([*batch, rows, columns])
    saving(packed, user_frame(1), x, result=True)
    pivots = data((np.asarray(swaps) + 1).astype(np.int32).reshape(*batch, min(rows, columns)))
    pivots = flagged(pivots, x)
    if not get_infos:
        return packed, pivots
    return packed, pivots, data(np.zeros(batch, np.int32))


@method("paddle.linalg.lu_unpack")
def lu_unpack(
    x: Any, y: Any, unpack_ludata: bool = True, unpack_pivots: bool = True, name: Any = None
) -> Any:
    """Returns the exchange of rows as a matrix P, and triangular L and U, where `lu` was given P L U.

    A factor that was not requested is an empty tensor.
    """
    x = operand(x)
    *batch, rows, columns = x._spec.shape
    few, kind = min(rows, columns), x._spec.dtype
    exchange = lower = upper = _creation.empty([0], kind.name)
    if unpack_pivots:
        flat = np.asarray(operand(y)).reshape(-1, few) - 1
        found = np.zeros((len(flat), rows, rows), kind)
        for one, swaps in zip(found, flat, strict=True):
            one[_order(swaps, rows), np.arange(rows)] = 1.0
        exchange = data(found.reshape(*batch, rows, rows))
    if unpack_ludata:
        ones = data(np.eye(rows, few, dtype=kind))
        lower = _manipulation.tril(x[..., :few], -1) + ones
        upper = _manipulation.triu(x[..., :few, :])
    return exchange, lower, upper


@in_linalg
def lu_solve(b: Any, lu: Any, pivots: Any, trans: str = "N", name: Any = None) -> Any:
    """Returns the solution z of A z = b from the factors of A; with `trans` "T" that of its transpose."""
    if trans not in ("N", "T", "C"):
        raise InvalidValueError(f"trans should be one of 'N', 'T', 'C', but got {trans}.", site=here())
    exchange, lower, upper = lu_unpack(lu, pivots)
    # No gradient needs the right side.
    b = as_result(operand(b), user_frame(1))
    if trans == "N":
        first = _matrices.triangular_solve(
            lower, _math.matmul(exchange, b, transpose_x=True), upper=False, unitriangular=True
        )
        return _matrices.triangular_solve(upper, first, upper=True)
    first = _matrices.triangular_solve(upper, b, upper=True, transpose=True)
    second = _matrices.triangular_solve(lower, first, upper=False, transpose=True, unitriangular=True)
    return _math.matmul(exchange, second)


def _reflections(x: Any, tau: Any) -> list[tuple[Any, Any]]:
    """Returns the vectors and factors of reflections I - tau v v^H, whose vectors lie below a diagonal."""
    x, tau = operand(x), operand(tau)
    rows, count = x._spec.shape[-2], tau._spec.shape[-1]
    found = []
    for i in range(count):
        mask = (np.arange(rows) > i).astype(x._spec.dtype)[:, None]
        first = (np.arange(rows) == i).astype(x._spec.dtype)[:, None]
        found.append((x[..., i : i + 1] * data(mask) + data(first), tau[..., i : i + 1].unsqueeze(-1)))
    return found


def _turned(vector: Any) -> Any:
    swapped = _matrices.matrix_transpose(vector)
    return swapped.conj() if vector._spec.dtype.kind == "c" else swapped


@method("paddle.linalg.householder_product")
def householder_product(x: Any, tau: Any, name: Any = None) -> Any:
    """Returns the first columns of the product of reflections, whose vectors are below the diagonal of x."""
    x = operand(x)
    found = data(np.eye(*x._spec.shape[-2:], dtype=x._spec.dtype))
    if x._spec.ndim > 2:
        found = _manipulation.expand(found, list(x._spec.shape))
    for vector, factor in reversed(_reflections(x, tau)):
        found = found - factor * _math.matmul(vector, _math.matmul(_turned(vector), found))
    return saving(found, user_frame(1), result=True)


@method("paddle.linalg.ormqr")
def ormqr(x: Any, tau: Any, y: Any, left: bool = True, transpose: bool = False, name: Any = None) -> Any:
    """Returns Q y, or y Q unless `left`, for the product Q of reflections, or its transpose."""
    found = operand(y)
    several = _reflections(x, tau)
    for vector, factor in several if left is transpose else reversed(several):
        if transpose and factor._spec.dtype.kind == "c":
            factor = factor.conj()
        if left:
            found = found - factor * _math.matmul(vector, _math.matmul(_turned(vector), found))
        else:
            found = found - factor * _math.matmul(_math.matmul(found, vector), _turned(vector))
    return found


@method("paddle.linalg.svd_lowrank")
def svd_lowrank(x: Any, q: int | None = None, niter: int = 2, M: Any = None, name: Any = None) -> Any:
    """Returns U, S and V so that U diag(S) V^T is near to x, or to x - M, with only q columns (6 by default).

    A random matrix chooses the columns, which `niter` multiplications by x improve (Halko et al., 2009).
    """
    x = operand(x) if M is None else operand(x) - operand(M)
    rows, columns = x._spec.shape[-2:]
    q = min(6, rows, columns) if q is None else q
    if not 0 <= q <= min(rows, columns):
        raise InvalidValueError(
            f"q(={q}) must be non-negative integer and not greater than min(N, M)={min(rows, columns)}",
            site=here(),
        )
    wide = rows < columns
    tall = _matrices.matrix_transpose(x) if wide else x
    start = _creation.randn([tall._spec.shape[-1], q], x._spec.dtype.name)
    basis = _matrices.qr(_math.matmul(tall, start))[0]
    for _ in range(niter):
        back = _matrices.qr(_math.matmul(tall, basis, transpose_x=True))[0]
        basis = _matrices.qr(_math.matmul(tall, back))[0]
    inner, sizes, right = _matrices.svd(_math.matmul(basis, tall, transpose_x=True), full_matrices=False)
    left, right = _math.matmul(basis, inner), _matrices.matrix_transpose(right)
    return (right, sizes, left) if wide else (left, sizes, right)


@method("paddle.linalg.pca_lowrank")
def pca_lowrank(x: Any, q: int | None = None, center: bool = True, niter: int = 2, name: Any = None) -> Any:
    """Returns `svd_lowrank` of x, from whose columns the means are taken off unless `center` is False."""
    x = operand(x)
    if center:
        x = x - _math.mean(x, -2, keepdim=True)
    return svd_lowrank(x, q, niter)
