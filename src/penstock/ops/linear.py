"""Linear-algebra primitives: the matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.shape import transpose
from penstock.ops.table import Primitive, broadcast_shapes
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _matmul_shape(a: Spec, b: Spec) -> Spec:
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"matmul: {a.shape} and {b.shape} do not fit together.",
            why="The last axis of the first operand must be as long as the second-to-last axis of the "
            "second.",
            remedy="Transpose or reshape one of them.",
        )
    batch = broadcast_shapes("matmul", a.shape[:-2], b.shape[:-2])
    return spec((*batch, a.shape[-2], b.shape[-1]), a.dtype)


def matrix_transpose(x: Tensor) -> Tensor:
    """Swaps the last two axes."""
    rank = len(x.shape)
    return transpose(x, axes=(*range(rank - 2), rank - 1, rank - 2))


def _left(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return matmul(ct, matrix_transpose(b))


def _right(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return matmul(matrix_transpose(a), ct)


def _samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    shapes = [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((1, 2, 3), (5, 3, 1)), ((2, 0), (0, 3))]
    return [tuple(np.round(rng.standard_normal(shape), 2) for shape in pair) for pair in shapes]


matmul: Primitive = Primitive(
    "matmul",
    shape=_matmul_shape,
    numpy=lambda a, b: np.matmul(a, b).astype(a.dtype, copy=False),
    xla="numpy.matmul",
    vjp=(_left, _right),
    dtypes="numeric",
    samples=_samples,
    cost=lambda a, b, **_: 2 * a.shape[-1] * _matmul_shape(a, b).size,
)
