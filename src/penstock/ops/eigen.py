"""The primitive of eigenvalues and eigenvectors of any square matrix: complex numbers, in one order.

Vectors have length 1 and a positive largest component, like those of `eigh`. If eigenvalues are equal, their
vectors have no derivative: it is NaN, unless nothing uses it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.complex_parts import conj, real
from penstock.ops.fft import complex_dtype
from penstock.ops.linear import matmul, matrix_transpose
from penstock.ops.matrices import adjoint, conjugated, identity_like, part, solve, square, tiers
from penstock.ops.spectral import column_sums, of_real_component, off_diagonal, phase, quotient
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _eig_shape(x: Spec) -> Spec:
    square("eig")(x)
    return spec((*x.shape[:-2], x.shape[-1] + 1, x.shape[-1]), complex_dtype(x.dtype))


def _order(xp: Any, values: Any) -> Any:
    """Returns the order of eigenvalues by real part, then by imaginary part."""
    # Real parts that differ only by rounding, such as those of a rotation, count as equal: the order must not
    # depend on the tier.
    spacing = xp.abs(values).max(-1, keepdims=True) * np.finfo(values.real.dtype).eps ** 0.75
    steps = xp.round(values.real / xp.where(spacing == 0, 1, spacing))
    return xp.lexsort((values.imag, steps), axis=-1)


def _eig(xp: Any, x: Any) -> Any:
    dtype = complex_dtype(x.dtype)
    if not x.size:
        return xp.zeros((*x.shape[:-2], x.shape[-1] + 1, x.shape[-1]), dtype)
    values, vectors = (one.astype(dtype) for one in xp.linalg.eig(x))
    order = _order(xp, values)
    values = xp.take_along_axis(values, order, axis=-1)
    vectors = xp.take_along_axis(vectors, order[..., None, :], axis=-1)
    vectors = vectors / phase(xp, vectors)
    return xp.concatenate([values[..., None, :], vectors], -2).astype(dtype)


@conjugated
def _eig_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    # With A V = V diag(w): V^-1 dA V has dw in its diagonal, and (V^-1 dV)[i, j] times w[j] - w[i] elsewhere
    # (M. B. Giles 2008). The rest of dV, a factor of each column, keeps the length and the largest component
    # of the column.
    n = x.shape[-1]
    by_values, by_vectors = part(ct, -2, 0, 1), part(ct, -2, 1, n + 1)
    values, vectors = part(y, -2, 0, 1), part(y, -2, 1, n + 1)
    turn = real(column_sums(conj(by_vectors) * vectors) * 1j)
    by_vectors = of_real_component(by_vectors, vectors, turn)
    along = real(column_sums(conj(vectors) * by_vectors))
    by_vectors = by_vectors - vectors * cast(along, dtype=y.dtype)
    apart = conj(values - matrix_transpose(values))
    mixed = quotient(off_diagonal(matmul(adjoint(vectors), by_vectors)), apart)
    inner = mixed + identity_like(mixed) * by_values
    found = solve(adjoint(vectors), matmul(inner, adjoint(vectors)))
    return found if x.dtype.kind == "c" else real(found)


def _separate(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.standard_normal((2, 3, 3)) + np.diag([0.0, 3.0, 6.0]), 2)
    turning = np.asarray([[0.3, -2.1, 0.2], [1.9, 0.4, -0.3], [0.1, 0.6, 4.2]])
    return [(x[0],), (x,), (turning,), (np.asarray([[2.5]]),), (np.zeros((0, 0)),)]


# The eigenvalues in a row above their vectors.
eig: Primitive = Primitive(
    "eig",
    shape=_eig_shape,
    **tiers(_eig),
    vjp=(_eig_vjp,),
    dtypes="wide floating-point",
    samples=_separate,
    cost=lambda x, **_: 25 * x.size * max(1, x.shape[-1]),
)
