"""The primitive of LU: rows in an order that keeps divisors large, a unit lower and an upper triangle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.linear import matmul, matrix_transpose
from penstock.ops.matrices import adjoint, conjugated, finite, identity_like, part, solve_triangular
from penstock.ops.pointwise import equal
from penstock.ops.shape import concat, triangle
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _lu_shape(x: Spec) -> Spec:
    if x.ndim < 2:
        raise ShapeError(f"lu: the shape is {x.shape}.", why="It takes matrices.")
    return spec((*x.shape[:-1], x.shape[-1] + 1), x.dtype)


def _eliminated(x: Any) -> tuple[Any, Any]:
    """Returns both triangles in one matrix, and the order of the rows, by Gaussian elimination."""
    m, n = x.shape[-2:]
    flat = x.reshape((-1, m, n)).copy()
    every = np.arange(len(flat))
    order = np.broadcast_to(np.arange(m), (len(flat), m)).copy()
    for k in range(min(m, n)):
        # LAPACK's measure of a complex number, so that both tiers choose the same row.
        size = np.abs(flat[:, k:, k].real) + np.abs(flat[:, k:, k].imag)
        best = k + np.argmax(size, axis=1)
        for rows in (flat, order):
            rows[every, k], rows[every, best] = rows[every, best].copy(), rows[every, k].copy()
        pivot = flat[:, k, k, None]
        flat[:, k + 1 :, k] /= np.where(pivot == 0, 1, pivot)
        flat[:, k + 1 :, k + 1 :] -= flat[:, k + 1 :, k, None] * flat[:, k, None, k + 1 :]
    return flat.reshape(x.shape), order.reshape(x.shape[:-1])


def _lu(xp: Any, x: Any, taken_apart: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Returns both triangles in one matrix, and next to them the order of the rows."""

    def beside(_: Any, x: Any) -> Any:
        packed, order = (
            taken_apart(x) if x.size else (x, np.broadcast_to(np.arange(x.shape[-2]), x.shape[:-1]))
        )
        return xp.concatenate([packed, order[..., None].astype(x.dtype)], -1)

    return finite(beside)(xp, x)


def _lu_xla(jax: Any, x: Any) -> Any:
    return _lu(jax.numpy, x, lambda one: jax.lax.linalg.lu(one)[::2])


def permutation(y: Tensor) -> Tensor:
    """Returns the matrices P of results of `lu`: P @ L @ U is the matrix. No gradient passes."""
    m, width = y.shape[-2:]
    order = matrix_transpose(part(y, -1, width - 1, width))
    return cast(equal(np.arange(m).reshape(m, 1).astype(y.dtype), order), dtype=y.dtype)


def lower(y: Tensor) -> Tensor:
    """Returns the matrices L of results of `lu`: triangles with ones in the diagonal."""
    k = min(y.shape[-2], y.shape[-1] - 1)
    below = triangle(part(y, -1, 0, k), k=-1, lower=True)
    ones = identity_like(part(below, -2, 0, k))
    if below.shape[-2] == k:
        return below + ones
    return concat(part(below, -2, 0, k) + ones, part(below, -2, k, below.shape[-2]), axis=len(y.shape) - 2)


def upper(y: Tensor) -> Tensor:
    """Returns the matrices U of results of `lu`."""
    k, n = min(y.shape[-2], y.shape[-1] - 1), y.shape[-1] - 1
    return triangle(part(part(y, -2, 0, k), -1, 0, n), k=0, lower=False)


def _before(below: Tensor, x: Tensor) -> Tensor:
    """Returns (L^H)^-1 x for a square lower triangle L."""
    return solve_triangular(adjoint(below), x, lower=False, unit=True)


def _after(x: Tensor, above: Tensor) -> Tensor:
    """Returns x (U^H)^-1 for a square upper triangle U."""
    return adjoint(solve_triangular(above, adjoint(x), lower=False, unit=False))


@conjugated
def _lu_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    # L^-1 (P^T dx) U^-1 = L^-1 dL + dU U^-1: the first term is below the diagonal, the second is not. Outside
    # the square block, the result is L or U times a block of x, and its change includes both.
    m, n = x.shape[-2:]
    k = min(m, n)
    left, right = lower(y), upper(y)
    by_l = triangle(part(ct, -1, 0, k), k=-1, lower=True)
    by_u = triangle(part(part(ct, -2, 0, k), -1, 0, n), k=0, lower=False)
    l1, u1 = part(left, -2, 0, k), part(right, -1, 0, k)
    by_l1, by_u1 = part(by_l, -2, 0, k), part(by_u, -1, 0, k)
    rest = None
    if n > m:
        rest = _before(l1, part(by_u, -1, k, n))
        by_l1 = by_l1 - matmul(rest, adjoint(part(right, -1, k, n)))
    elif m > n:
        rest = _after(part(by_l, -2, k, m), u1)
        by_u1 = by_u1 - matmul(adjoint(part(left, -2, k, m)), rest)
    inner = triangle(matmul(adjoint(l1), by_l1), k=-1, lower=True)
    inner = inner + triangle(matmul(by_u1, adjoint(u1)), k=0, lower=False)
    found = _after(_before(l1, inner), u1)
    if rest is not None:
        found = concat(found, rest, axis=len(x.shape) - (1 if n > m else 2))
    # The order of a matrix that is not finite is NaN, and compares to False. XLA computes one number times
    # that by choosing 0: added here, NaN makes the gradient of such a matrix NaN, whatever its size.
    order = matrix_transpose(part(y, -1, n, n + 1))
    return matmul(permutation(y) + order * 0.0, found)


# L without its diagonal and U in one matrix, and next to them, in the last column, the rows of the matrix in
# pivoting order.
lu: Primitive = Primitive(
    "lu",
    shape=_lu_shape,
    numpy=lambda x: _lu(np, x, _eliminated),
    xla=_lu_xla,
    vjp=(_lu_vjp,),
    dtypes="wide floating-point",
    samples=lambda rng: [
        (np.round(rng.standard_normal(shape), 2),)
        for shape in ((3, 3), (2, 4, 4), (4, 2), (2, 2, 3), (1, 1), (0, 2), (2, 0))
    ],
    cost=lambda x, **_: x.size * max(1, min(x.shape[-2:])),
)
