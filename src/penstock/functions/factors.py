"""Factors of any matrix, beyond the standard: eigenvalues with vectors, and triangles by elimination."""

from __future__ import annotations

from typing import Any, NamedTuple

from penstock.functions.composite import composite
from penstock.functions.matrices import matrices_in
from penstock.ops import eigen, pivoted
from penstock.ops import shape as _shape
from penstock.ops.matrices import part
from penstock.trace.tensor import Tensor


class EigResult(NamedTuple):
    """The result of `eig`: complex eigenvalues, and their vectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(x: Any, /) -> EigResult:
    """Returns the eigenvalues and eigenvectors of square matrices, as complex numbers.

    They are in order of ascending real part, then imaginary part: real parts that differ only by rounding
    count as equal. Each vector has length 1, and its largest component is positive; of components of the same
    size, the first one. The derivative is that of these very vectors, so a loss may depend on their length
    and phase (M. B. Giles 2008, "An extended collection of matrix derivative results"). If eigenvalues are
    equal, their vectors have no derivative: it is NaN if a loss depends on them. Near a matrix with fewer
    than n independent vectors, slopes grow without bound.

    For matrices that are symmetric, or equal to their adjoint, `eigh` is faster and returns real numbers.

    XLA has this on processors. On a GPU of NVIDIA or AMD, JAX sends the matrix to the host and back; on a TPU
    it refuses to compile it.

    Args:
        x: matrices [..., n, n] of floating-point or complex dtype.

    Returns:
        A named tuple of complex `eigenvalues` [..., n] and `eigenvectors` [..., n, n].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.eig(ps.asarray([[0.0, -2.0], [2.0, 0.0]])).eigenvalues
    Tensor([0.-2.j, 0.+2.j], dtype=complex64)
    """
    return EigResult(*_eig(x))


def _values(both: Tensor) -> Tensor:
    return _shape.reshape(part(both, -2, 0, 1), shape=(*both.shape[:-2], both.shape[-1]))


@composite(1, name="eig")
def _eig(x: Any) -> tuple[Tensor, Tensor]:
    both = eigen.eig(matrices_in("eig", x))
    return _values(both), part(both, -2, 1, both.shape[-2])


@composite(1)
def eigvals(x: Any, /) -> Tensor:
    """Returns the eigenvalues that `eig` returns.

    Args:
        x: matrices [..., n, n] of floating-point or complex dtype.

    Returns:
        Complex numbers [..., n], by ascending real part, then by imaginary part.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.eigvals(ps.asarray([[1.0, 1.0], [0.0, 2.0]]))
    Tensor([1.+0.j, 2.+0.j], dtype=complex64)
    """
    return _values(eigen.eig(matrices_in("eigvals", x)))


class LUResult(NamedTuple):
    """What `lu` returns: P orders rows, L and U are triangles; P @ L @ U is the matrix."""

    P: Tensor
    L: Tensor
    U: Tensor


def lu(x: Any, /) -> LUResult:
    """Returns matrices as P @ L @ U: rows in another order, times a lower triangle, times an upper one.

    The diagonal of L is ones, and no element of it is larger than 1 in size, as of each column the largest
    element that is left is divided by (of a complex number, the sum of the sizes of its parts counts). A
    matrix that is not finite gives NaN. P is constant where it exists, and no gradient passes through it. L
    and U have a derivative where the first min(n, m) rows that were taken make a block with an inverse; else
    it is NaN (F. de Hoog, R. S. Anderssen and M. A. Lukas 2011, "Differentiation of matrix functionals
    using triangular factorization").

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        A named tuple of `P` [..., n, n], `L` [..., n, k] and `U` [..., k, m], where k is min(n, m).

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> P, L, U = ps.linalg.lu(ps.asarray([[1.0, 3.0], [2.0, 4.0]]))
    >>> U
    Tensor([[2., 4.],
     [0., 1.]], dtype=float32)
    >>> P @ L @ U
    Tensor([[1., 3.],
     [2., 4.]], dtype=float32)
    """
    return LUResult(*_lu(x))


@composite(1, name="lu")
def _lu(x: Any) -> tuple[Tensor, Tensor, Tensor]:
    packed = pivoted.lu(matrices_in("lu", x))
    return pivoted.permutation(packed), pivoted.lower(packed), pivoted.upper(packed)


__all__ = ["EigResult", "LUResult", "eig", "eigvals", "lu"]
