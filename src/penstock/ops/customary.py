"""A primitive for vectors with LAPACK's signs, which users of a dialect expect."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.matrices import tiers
from penstock.ops.spectral import phase
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec, spec


def _turns_shape(x: Spec, kind: str) -> Spec:
    if x.ndim < 2 or (kind in ("L", "U") and x.shape[-1] != x.shape[-2]):
        raise ShapeError(f"turns: the shape is {x.shape}.", why="It takes matrices.")
    return spec((*x.shape[:-2], _count(x, kind)), x.dtype)


def _count(x: Any, kind: str) -> int:
    return int(x.shape[-2] if kind == "svd full" else min(x.shape[-2:]))


def _turns(xp: Any, x: Any, kind: str) -> Any:
    if not x.size:
        return xp.ones((*x.shape[:-2], _count(x, kind)), x.dtype)
    if kind == "qr":
        diagonal = xp.diagonal(xp.linalg.qr(x)[1], axis1=-2, axis2=-1)
        size = xp.abs(diagonal)
        return xp.where(size == 0, xp.ones((), x.dtype), diagonal / xp.where(size == 0, 1, size))
    if kind.startswith("svd"):
        vectors = xp.linalg.svd(x, full_matrices=kind == "svd full")[0]
    else:
        vectors = xp.linalg.eigh(_hermitian(xp, x, kind), UPLO=kind)[1]
    return phase(xp, vectors)[..., 0, :]


def _hermitian(xp: Any, x: Any, kind: str) -> Any:
    """Returns the matrix that LAPACK reads from one triangle: NumPy passes it x, and JAX the mean of both."""
    half = xp.tril(x, -1) if kind == "L" else xp.triu(x, 1)
    diagonal = xp.real(xp.diagonal(x, axis1=-2, axis2=-1))
    middle = diagonal[..., None] * xp.eye(x.shape[-1], dtype=diagonal.dtype)
    return half + xp.conj(xp.swapaxes(half, -1, -2)) + middle.astype(x.dtype)


def _matrices(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    square = np.round(rng.standard_normal((2, 3, 3)), 2)
    square = square + np.swapaxes(square, -1, -2) + 3 * np.diag([0.0, 1, 2])
    wide = np.round(rng.standard_normal((2, 3)), 2)
    given = [(square, kind) for kind in ("L", "U", "qr", "svd")]
    given += [(wide, "qr"), (wide.T, "svd"), (wide.T, "svd full"), (np.zeros((0, 2)), "qr")]
    return [(x, {"kind": kind}) for x, kind in given]


# The factors that turn the vectors of `qr`, `svd` and `eigh` of a triangle into LAPACK's: those of the
# diagonal of R, and of the largest component of each vector.
turns = Primitive(
    "turns",
    shape=_turns_shape,
    **tiers(_turns),
    derivative="flat",
    dtypes="wide floating-point",
    samples=_matrices,
    cost=lambda x, **_: 10 * x.size * max(1, min(x.shape[-2:])),
)
