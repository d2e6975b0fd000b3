"""Equations solved and matrices measured: least squares, norms, ranks, condition numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.functions import linalg as native
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.paddle import _math, _matrices
from penstock.paddle._convert import called, data, operand
from penstock.paddle._declaring import in_linalg


@in_linalg
def svdvals(x: Any, name: Any = None) -> Any:
    """Returns the singular values of matrices, the largest first."""
    return called(native.svdvals, operand(x))


@in_linalg
def matrix_rank(
    x: Any, tol: Any = None, hermitian: bool = False, atol: Any = None, rtol: Any = None, name: Any = None
) -> Any:
    """Returns how many singular values of matrices, or eigenvalues if `hermitian`, exceed a tolerance."""
    x = operand(x)
    array = np.asarray(x.detach())
    sizes = np.abs(np.linalg.eigvalsh(array)) if hermitian else np.linalg.svd(array, compute_uv=False)
    largest = sizes.max(-1, keepdims=True, initial=0.0)
    if tol is not None:
        least = np.asarray(tol)[..., None] if np.ndim(tol) else np.asarray(tol)
    else:
        share = max(array.shape[-2:]) * np.finfo(array.dtype).eps if rtol is None and atol is None else 0.0
        least = np.maximum(
            largest * np.asarray(share if rtol is None else rtol), 0.0 if atol is None else atol
        )
    return data((sizes > least).sum(-1).astype(np.int64))


@in_linalg
def vector_norm(
    x: Any, p: float = 2.0, axis: Any = None, keepdim: bool = False, dtype: Any = None, name: Any = None
) -> Any:
    """Returns the p-norm of all elements, or of those along axes, taken as one vector."""
    x = operand(x) if dtype is None else _math.cast(operand(x), dtype)
    axes = axis if axis is None or isinstance(axis, int) else tuple(axis)
    return called(_math.norm_of_vectors, x, p, axes, bool(keepdim))


@in_linalg
def matrix_norm(
    x: Any, p: Any = "fro", axis: Any = (-2, -1), keepdim: bool = False, dtype: Any = None, name: Any = None
) -> Any:
    """Returns a norm of matrices that lie in two axes."""
    x = operand(x) if dtype is None else _math.cast(operand(x), dtype)
    first, second = (one % x._spec.ndim for one in axis)
    rest = [one for one in range(x._spec.ndim) if one not in (first, second)]
    moved = x.transpose([*rest, first, second])
    found = called(native.matrix_norm, moved, ord=p)
    if not keepdim:
        return found
    return found.reshape([1 if one in (first, second) else n for one, n in enumerate(x._spec.shape)])


@in_linalg("paddle.Tensor.cond")
def cond(x: Any, p: Any = None, name: Any = None) -> Any:
    """Returns condition numbers: the norm of a matrix times that of its inverse, by default the 2-norm."""
    x = operand(x)
    if p in (None, 2, -2):
        values = svdvals(x)
        first, last = values[..., 0], values[..., -1]
        return last / first if p == -2 else first / last
    order = {1: 1, -1: -1, math.inf: math.inf, -math.inf: -math.inf}.get(p, p)
    return matrix_norm(x, order) * matrix_norm(_matrices.inv(x), order)


@composite(2, "lstsq")
def _least_squares(x: Any, y: Any, rcond: Any) -> tuple[Any, Any, Any, Any]:
    held = pointwise.stop_gradient(x), pointwise.stop_gradient(y)
    return native.lstsq(*held, rtol=rcond)


@in_linalg("paddle.Tensor.lstsq")
def lstsq(x: Any, y: Any, rcond: Any = None, driver: Any = None, name: Any = None) -> Any:
    """Returns the least-squares solution, the residuals, the ranks and the singular values; no gradients.

    The solution does not depend on the `driver`, but the other results do: it is "gelsy" by default, which
    gives no residuals, "gels", which gives no ranks, or "gelss" or "gelsd", which alone give singular values.
    Missing results are empty, and so are residuals unless there are more equations than unknowns.
    """
    solution, residuals, rank, sizes = called(_least_squares, operand(x), operand(y), rcond)
    rows, columns = operand(x)._spec.shape[-2:]
    nothing = data(np.zeros((0,), solution._spec.dtype))
    known = np.asarray(rank.detach())
    if driver in (None, "gelsy") or rows <= columns or (known != columns).any():
        residuals = nothing
    sizes = sizes if driver in ("gelss", "gelsd") else nothing
    ranks = np.zeros((0,)) if driver == "gels" else known
    return solution, residuals, data(ranks.astype(np.int32)), sizes


@in_linalg("paddle.Tensor.cholesky_solve")
def cholesky_solve(x: Any, y: Any, upper: bool = False, name: Any = None) -> Any:
    """Returns the solution of A z = x, where y is the Cholesky factor of A."""
    first = _matrices.triangular_solve(y, x, upper=upper, transpose=upper)
    return _matrices.triangular_solve(y, first, upper=upper, transpose=not upper)


@in_linalg("paddle.Tensor.cholesky_inverse")
def cholesky_inverse(x: Any, upper: bool = False, name: Any = None) -> Any:
    """Returns the inverse of the matrix whose Cholesky factor is x."""
    x = operand(x)
    return cholesky_solve(data(np.eye(x._spec.shape[-1], dtype=x._spec.dtype)), x, upper)
