"""Primitives that take matrices apart: eigenvalues and singular values with their vectors, and QR.

Several results are stored side by side in one. Vectors are determined up to a factor of modulus 1, which is
chosen so that both tiers agree: the largest component of an eigenvector or left singular vector is positive,
and so is the diagonal of R. If two eigenvalues, or singular values, are equal, their vectors have no
derivative: it is NaN, unless nothing uses it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.ops import reduce
from penstock.ops.complex_parts import conj, real
from penstock.ops.linear import matmul, matrix_transpose
from penstock.ops.matrices import (
    adjoint,
    conjugated,
    hermitian,
    identity_like,
    part,
    solve,
    square,
    tiers,
)
from penstock.ops.pointwise import equal, logical_and, where
from penstock.ops.shape import concat, reshape, triangle
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _leading(xp: Any, vectors: Any) -> Any:
    """Returns the row of the largest component of each column, with an axis of length 1 for it."""
    # Of components that are equal up to rounding, the first: the choice must not depend on the tier.
    size = xp.round(xp.abs(vectors).astype(np.float32), 4)
    return xp.argmax(size, axis=-2)[..., None, :]


def phase(xp: Any, vectors: Any) -> Any:
    """Returns the factor to divide each column by, so that its largest component becomes positive."""
    largest = xp.take_along_axis(vectors, _leading(xp, vectors), axis=-2)
    length = xp.abs(largest)
    return xp.where(length == 0, xp.ones((), vectors.dtype), largest / xp.where(length == 0, 1, length))


def _leading_mask(xp: Any, vectors: Any) -> Any:
    if not vectors.size:
        return xp.zeros(vectors.shape, bool)
    return xp.arange(vectors.shape[-2])[:, None] == _leading(xp, vectors)


leading = Primitive(
    "leading_component",
    shape=lambda x: spec(x.shape, np.bool_),
    numpy=lambda x: _leading_mask(np, x),
    xla=lambda jax, x: _leading_mask(jax.numpy, x),
    derivative="discrete",
    dtypes="wide floating-point",
    samples=lambda rng: [(np.round(rng.standard_normal((2, 3, 2)), 2),), (np.zeros((3, 0)),)],
)


def quotient(x: Tensor, differences: Tensor) -> Tensor:
    """Returns x / differences: 0 for 0 / 0, and NaN where only the divisor is 0."""
    none = equal(differences, 0.0)
    empty = logical_and(none, equal(x, 0.0))
    quotient = x / cast(where(none, 1.0, differences), dtype=x.dtype)
    return where(none, where(empty, 0.0, np.nan), quotient)


def off_diagonal(x: Tensor) -> Tensor:
    """Returns x with zeros in the diagonal."""
    return x - x * identity_like(x)


def column_sums(x: Tensor) -> Tensor:
    """Returns the sum of each column, with an axis of length 1 for it."""
    return reduce.sum(x, axes=(len(x.shape) - 2,), keepdims=True)


def of_real_component(ct: Tensor, vectors: Tensor, turn: Tensor) -> Tensor:
    """Adds to a gradient by vectors the part of their factor, which keeps the largest component real.

    `turn` is the slope along a common phase rotation of each column, with an axis of length 1 for its
    components.
    """
    mask = leading(vectors)
    length = where(mask, vectors, 1.0)
    return ct + where(mask, cast(turn, dtype=ct.dtype) * -1j / length, 0.0)


# -- eigenvalues --------------------------------------------------------------------------------------------


def _eigh_shape(x: Spec) -> Spec:
    square("eigh")(x)
    return spec((*x.shape[:-2], x.shape[-1] + 1, x.shape[-1]), x.dtype)


def _eigh(xp: Any, x: Any) -> Any:
    if not x.size:
        return xp.zeros((*x.shape[:-2], x.shape[-1] + 1, x.shape[-1]), x.dtype)
    values, vectors = xp.linalg.eigh((x + xp.conj(xp.swapaxes(x, -1, -2))) / 2)
    vectors = vectors / phase(xp, vectors)
    return xp.concatenate([values[..., None, :].astype(x.dtype), vectors], -2)


@conjugated
def _eigh_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    n = x.shape[-1]
    by_values, by_vectors = real(part(ct, -2, 0, 1)), part(ct, -2, 1, n + 1)
    values, vectors = real(part(y, -2, 0, 1)), part(y, -2, 1, n + 1)
    if x.dtype.kind == "c":
        turn = real(column_sums(conj(by_vectors) * vectors) * 1j)
        by_vectors = of_real_component(by_vectors, vectors, turn)
    apart = values - matrix_transpose(values)
    mixed = quotient(off_diagonal(matmul(adjoint(vectors), by_vectors)), apart)
    inner = mixed + identity_like(mixed) * cast(by_values, dtype=x.dtype)
    return hermitian(matmul(matmul(vectors, inner), adjoint(vectors)))


def _symmetric(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.standard_normal((2, 3, 3)), 1)
    x = x + np.swapaxes(x, -1, -2) + 3 * np.diag([0.0, 1, 2])
    return [(x[0],), (x,), (np.asarray([[2.5]]),), (np.zeros((0, 0)),)]


# The eigenvalues, in ascending order, in a row above their vectors; for the mean of the matrix and its
# adjoint, so that every matrix has a derivative, and a symmetric one.
eigh: Primitive = Primitive(
    "eigh",
    shape=_eigh_shape,
    **tiers(_eigh),
    vjp=(_eigh_vjp,),
    dtypes="wide floating-point",
    samples=_symmetric,
    cost=lambda x, **_: 10 * x.size * max(1, x.shape[-1]),
)

# -- QR -----------------------------------------------------------------------------------------------------


def _qr_shape(x: Spec, complete: bool) -> Spec:
    if x.ndim < 2:
        raise ShapeError(f"qr: the shape is {x.shape}.", why="It takes matrices.")
    m, n = x.shape[-2:]
    return spec((*x.shape[:-2], m + n, m if complete else min(m, n)), x.dtype)


def _qr(xp: Any, x: Any, complete: bool) -> Any:
    m, n = x.shape[-2:]
    if not x.size:
        width = m if complete else min(m, n)
        q = xp.broadcast_to(xp.eye(m, width, dtype=x.dtype), (*x.shape[:-2], m, width))
        return xp.concatenate([q, xp.zeros((*x.shape[:-2], n, width), x.dtype)], -2)
    q, r = xp.linalg.qr(x, mode="complete" if complete else "reduced")
    k = min(m, n)
    diagonal = xp.diagonal(r, axis1=-2, axis2=-1)
    size = xp.abs(diagonal)
    turn = xp.where(size == 0, xp.ones((), x.dtype), diagonal / xp.where(size == 0, 1, size))
    if complete and m > k:
        turn = xp.concatenate([turn, xp.ones((*turn.shape[:-1], m - k), x.dtype)], -1)
    q, r = q * turn[..., None, :], xp.conj(turn)[..., :, None] * r
    return xp.concatenate([q, xp.swapaxes(r, -1, -2)], -2)


def _qr_square_vjp(by_q: Tensor, by_r: Tensor, q: Tensor, r: Tensor) -> Tensor:
    # S. F. Walter and L. Lehmann (2010), for at least as many rows as columns.
    both = matmul(r, adjoint(by_r)) - matmul(adjoint(by_q), q)
    below = triangle(both, k=-1, lower=True)
    both = below + adjoint(below) + cast(real(both * identity_like(both)), dtype=q.dtype)
    return adjoint(solve(r, adjoint(by_q + matmul(q, both))))


@conjugated
def _qr_vjp(ct: Tensor, y: Tensor, x: Tensor, complete: bool) -> Tensor:
    m, n = x.shape[-2:]
    k = min(m, n)
    if complete and m > k:
        raise PenstockError(
            f"qr: with mode='complete' the matrix {x.shape} has no derivative.",
            why="The columns of Q beyond those of the matrix are arbitrary.",
            remedy="Use mode='reduced'.",
        )
    by_q, by_r = part(ct, -2, 0, m), matrix_transpose(part(ct, -2, m, m + n))
    q, r = part(y, -2, 0, m), matrix_transpose(part(y, -2, m, m + n))
    if n <= m:
        return _qr_square_vjp(by_q, triangle(by_r, k=0, lower=False), q, r)
    # The columns beyond the square are Q times those of R.
    rest, by_rest = part(x, -1, k, n), part(by_r, -1, k, n)
    by_q = by_q + matmul(rest, adjoint(by_rest))
    by_square = triangle(part(by_r, -1, 0, k), k=0, lower=False)
    left = _qr_square_vjp(by_q, by_square, q, part(r, -1, 0, k))
    return concat(left, matmul(q, by_rest), axis=len(x.shape) - 1)


# Q above the transpose of R.
qr: Primitive = Primitive(
    "qr",
    shape=_qr_shape,
    **tiers(_qr),
    vjp=(_qr_vjp,),
    dtypes="wide floating-point",
    samples=lambda rng: [
        (np.round(rng.standard_normal(shape), 2), {"complete": complete})
        for shape, complete in (
            *(((3, 2), False), ((2, 3), False), ((2, 3, 3), False), ((2, 2), True)),
            *(((0, 2), False), ((2, 0), False)),
        )
    ],
    cost=lambda x, **_: 4 * x.size * max(1, min(x.shape[-2:])),
)

# -- singular values ----------------------------------------------------------------------------------------


def _svd_widths(m: int, n: int, full: bool) -> tuple[int, int, int]:
    """Returns how many left vectors, singular values and right vectors there are."""
    k = min(m, n)
    return (m, k, n) if full else (k, k, k)


def _svd_shape(x: Spec, full: bool) -> Spec:
    if x.ndim < 2:
        raise ShapeError(f"svd: the shape is {x.shape}.", why="It takes matrices.")
    m, n = x.shape[-2:]
    left, k, right = _svd_widths(m, n, full)
    return spec((*x.shape[:-2], m * left + k + right * n), x.dtype)


def _svd(xp: Any, x: Any, full: bool) -> Any:
    m, n = x.shape[-2:]
    batch, k = x.shape[:-2], min(m, n)
    if x.size:
        u, s, vh = xp.linalg.svd(x, full_matrices=full)
        turn = phase(xp, u)
        u = u / turn
        vh = xp.concatenate([xp.swapaxes(turn, -1, -2)[..., :k, :] * vh[..., :k, :], vh[..., k:, :]], -2)
    else:
        left, k, right = _svd_widths(m, n, full)
        u = xp.broadcast_to(xp.eye(m, left, dtype=x.dtype), (*batch, m, left))
        s = xp.zeros((*batch, k), x.dtype)
        vh = xp.broadcast_to(xp.eye(right, n, dtype=x.dtype), (*batch, right, n))
    flat = [one.reshape((*batch, math.prod(one.shape[len(batch) :]))) for one in (u, s.astype(x.dtype), vh)]
    return xp.concatenate(flat, -1)


def svd_parts(packed: Tensor, m: int, n: int, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the left vectors, the singular values (in a row) and the adjoint right vectors of `svd`."""
    left, k, right = _svd_widths(m, n, full)
    batch = packed.shape[:-1]
    first, second = m * left, m * left + k
    u = reshape(part(packed, -1, 0, first), shape=(*batch, m, left))
    s = reshape(part(packed, -1, first, second), shape=(*batch, 1, k))
    vh = reshape(part(packed, -1, second, second + right * n), shape=(*batch, right, n))
    return u, s, vh


@conjugated
def _svd_vjp(ct: Tensor, y: Tensor, x: Tensor, full: bool) -> Any:
    # J. Townsend (2016), and for complex matrices Z.-Q. Wan and S.-X. Zhang (2019).
    m, n = x.shape[-2:]
    if full and m != n:
        raise PenstockError(
            f"svd: with full_matrices=True the matrix {x.shape} has no derivative.",
            why="The vectors that belong to no singular value are arbitrary.",
            remedy="Use full_matrices=False.",
        )
    u, s, vh = svd_parts(y, m, n, full)
    by_u, by_s, by_vh = svd_parts(ct, m, n, full)
    v, by_v = adjoint(vh), adjoint(by_vh)
    s, by_s = real(s), real(by_s)
    if x.dtype.kind == "c":
        turn = real((column_sums(conj(by_u) * u) + column_sums(conj(by_v) * v)) * 1j)
        by_u = of_real_component(by_u, u, turn)
    apart = s * s - matrix_transpose(s * s)
    of_u, of_v = matmul(adjoint(u), by_u), matmul(adjoint(v), by_v)
    j, k = quotient(off_diagonal(of_u), apart), quotient(off_diagonal(of_v), apart)
    row, column = cast(s, dtype=x.dtype), cast(matrix_transpose(s), dtype=x.dtype)
    inner = (j + adjoint(j)) * row + column * (k + adjoint(k))
    inner = inner + identity_like(inner) * cast(by_s, dtype=x.dtype)
    if x.dtype.kind == "c":
        diagonal = of_v * identity_like(of_v)
        inner = inner + quotient(adjoint(diagonal) - diagonal, s) * 0.5
    found = matmul(matmul(u, inner), vh)
    if m > n:
        found = found + matmul(quotient(by_u - matmul(u, of_u), s), vh)
    if n > m:
        found = found + matmul(u, adjoint(quotient(by_v - matmul(v, of_v), s)))
    return found


# Left vectors, singular values in descending order, and adjoint right vectors, flattened, one after another.
svd: Primitive = Primitive(
    "svd",
    shape=_svd_shape,
    **tiers(_svd),
    vjp=(_svd_vjp,),
    dtypes="wide floating-point",
    samples=lambda rng: [
        (np.round(rng.standard_normal(shape), 2), {"full": full})
        for shape, full in (
            *(((3, 2), False), ((2, 3), False), ((2, 3, 3), True), ((1, 1), False)),
            *(((0, 2), False), ((2, 0), False)),
        )
    ],
    cost=lambda x, **_: 10 * x.size * max(1, min(x.shape[-2:])),
)
