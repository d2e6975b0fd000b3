"""Primitives for rows that share an index: the cost of adding them up does not depend on the table's size."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import DTypeError, ShapeError
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor


def _shape(name: str) -> Any:
    def rule(rows: Spec, indices: Spec) -> Spec:
        if indices.dtype.kind not in "iu":
            raise DTypeError(f"{name}: the indices are {indices!r}; they must be integers.")
        if indices.ndim != 1 or rows.shape[:1] != indices.shape:
            raise ShapeError(
                f"{name}: indices {indices.shape} do not name the rows of {rows.shape}.",
                remedy="Give one index for each row.",
            )
        return rows

    return rule


def _first(indices: Any) -> Any:
    """Returns, for each position, the first position with the same number."""
    _, first, inverse = np.unique(indices, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)]


def _first_xla(jax: Any, indices: Any) -> Any:
    numpy = jax.numpy
    (count,) = indices.shape
    order = numpy.argsort(indices, stable=True)
    ordered = indices[order]
    begins = numpy.concatenate([numpy.ones((1,), bool), ordered[1:] != ordered[:-1]])
    start = jax.lax.cummax(numpy.where(begins, numpy.arange(count), 0))
    return numpy.zeros((count,), order.dtype).at[order].set(order[start])


def _sum_equal(rows: Any, indices: Any) -> Any:
    first = _first(indices)
    total = np.zeros_like(rows)
    np.add.at(total, first, rows)
    return total[first]


def _sum_equal_xla(jax: Any, rows: Any, indices: Any) -> Any:
    if not indices.shape[0]:
        return rows
    first = _first_xla(jax, indices)
    return jax.numpy.zeros_like(rows).at[first].add(rows)[first]


def _keep_first(rows: Any, indices: Any) -> Any:
    rows = rows.copy()
    rows[_first(indices) != np.arange(len(indices))] = 0
    return rows


def _keep_first_xla(jax: Any, rows: Any, indices: Any) -> Any:
    if not indices.shape[0]:
        return rows
    kept = _first_xla(jax, indices) == jax.numpy.arange(indices.shape[0])
    return jax.numpy.where(kept.reshape(-1, *[1] * (rows.ndim - 1)), rows, jax.numpy.zeros_like(rows))


def _samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    return [
        (rng.standard_normal((5, 2)), np.asarray([3, 0, 3, 7, 3])),
        (rng.standard_normal((3,)), np.asarray([1, 1, 1], np.int32)),
        (rng.standard_normal((1, 2, 2)), np.asarray([4])),
        (rng.standard_normal((0, 2)), np.zeros((0,), np.int64)),
    ]


# Each row becomes the sum of all rows with its index.
sum_equal: Primitive = Primitive(
    "sum_equal",
    shape=_shape("sum_equal"),
    numpy=_sum_equal,
    xla=_sum_equal_xla,
    vjp=(lambda ct, y, rows, indices: sum_equal(ct, indices), None),
    dtypes="numeric",
    common=(0,),
    samples=_samples,
)

# Of rows with the same index, the first is kept; the others become zero.
keep_first: Primitive = Primitive(
    "keep_first",
    shape=_shape("keep_first"),
    numpy=_keep_first,
    xla=_keep_first_xla,
    vjp=(lambda ct, y, rows, indices: keep_first(ct, indices), None),
    dtypes="numeric",
    common=(0,),
    samples=_samples,
)


def summed_once(rows: Tensor, indices: Tensor) -> Tensor:
    """Returns rows in which the first of each index is the sum, and the others are zero."""
    return keep_first(sum_equal(rows, indices), indices)
