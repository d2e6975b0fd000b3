"""Primitives that combine slices with equal indices: the largest, the smallest, the product."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import DTypeError, ShapeError
from penstock.ops.index import out_of_range, take, take_transpose
from penstock.ops.pointwise import divide, equal, where
from penstock.ops.table import Primitive, cast, widened
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor


def _shape(name: str) -> Any:
    def rule(x: Spec, indices: Spec, rows: Spec) -> Spec:
        if indices.dtype.kind not in "iu":
            raise DTypeError(
                f"{name}: the indices are {indices!r}; they must be integers.",
                remedy="Convert them, for example with astype(indices, 'int64').",
            )
        wanted = (*indices.shape, *x.shape[1:])
        if x.ndim < 1 or rows.shape != wanted:
            raise ShapeError(
                f"{name}: indices {indices.shape} and values {rows.shape} do not fit {x.shape}.",
                why="Each index names a slice of the first axis, and needs a value of that slice's shape.",
                remedy=f"Give values of shape {wanted}.",
            )
        return x

    return rule


def _guards(name: str) -> dict[str, Any]:
    return {
        "guard": lambda x, indices, rows: out_of_range(name, indices, 0, x.shape[0]),
        "xla_guard": lambda jax, x, indices, rows: jax.numpy.all((indices >= 0) & (indices < x.shape[0])),
        "guarded": (1,),
    }


def _at(ufunc: Any) -> Any:
    def rule(x: Any, indices: Any, rows: Any) -> Any:
        # ml_dtypes' ufuncs have no `at` for bfloat16.
        x = x.astype(np.float32) if x.dtype.kind == "V" else x.copy()
        dtype = rows.dtype
        ufunc.at(x, indices, rows.astype(x.dtype))
        return x.astype(dtype)

    return rule


def _empty() -> list[tuple[Any, ...]]:
    """No rows for a table, an empty table, and empty rows."""
    nowhere = np.zeros((0,), np.int64)
    return [
        (np.asarray([[0.5], [-1.5]]), nowhere, np.zeros((0, 1))),
        (np.zeros((0, 2)), nowhere, np.zeros((0, 2))),
        (np.zeros((2, 0)), np.asarray([1]), np.zeros((1, 0))),
    ]


def _extreme(name: str, ufunc: Any, method: str) -> Primitive:
    def shares(ct: Tensor, y: Tensor, x: Tensor, indices: Tensor, rows: Tensor) -> tuple[Any, Any]:
        # As in max and min, all elements equal to the result share the gradient.
        own = cast(equal(x, y), dtype=ct.dtype)
        theirs = cast(equal(rows, take(y, indices, axis=0)), dtype=ct.dtype)
        count = own + take_transpose(theirs, indices, shape=x.shape, axis=0)
        share = divide(ct, where(equal(count, 0.0), 1.0, count))
        return own * share, theirs * take(share, indices, axis=0)

    return Primitive(
        name,
        shape=_shape(name),
        numpy=_at(ufunc),
        xla=lambda jax, x, indices, rows: getattr(x.at[indices], method)(rows, mode="drop"),
        vjp=(lambda *given: shares(*given)[0], None, lambda *given: shares(*given)[1]),
        dtypes="real numeric",
        common=(0, 2),
        samples=lambda rng: [
            (
                np.asarray([[0.3, -1.2], [0.8, 2.5], [-0.4, 0.1]]),
                np.asarray([2, 0, 2]),
                np.asarray([[1.3, -0.7], [0.6, -1.9], [1.5, -0.9]]),
            ),
            (np.asarray([0.5, -1.5]), np.asarray([[1], [0]]), np.asarray([[0.2], [0.9]])),
            *_empty(),
        ],
        **_guards(name),
    )


scatter_max = _extreme("scatter_max", np.maximum, "max")
scatter_min = _extreme("scatter_min", np.minimum, "min")


def _factor_shares(ct: Tensor, y: Tensor, x: Tensor, indices: Tensor, rows: Tensor) -> tuple[Any, Any]:
    # Not y / row alone, which is not finite where a factor is zero: for a single zero, the product of the
    # others.
    is_zero = (equal(x, 0.0), equal(rows, 0.0))
    zeros = cast(is_zero[0], dtype=ct.dtype) + take_transpose(
        cast(is_zero[1], dtype=ct.dtype), indices, shape=x.shape, axis=0
    )
    own, theirs = where(is_zero[0], 1.0, x), where(is_zero[1], 1.0, rows)
    others = scatter_multiply(own, indices, theirs)
    without_own = where(equal(zeros, cast(is_zero[0], dtype=ct.dtype)), divide(others, own), 0.0)
    at_rows: Any = take(zeros, indices, axis=0)
    without_theirs = where(
        equal(at_rows, cast(is_zero[1], dtype=ct.dtype)), divide(take(others, indices, axis=0), theirs), 0.0
    )
    return ct * without_own, take(ct, indices, axis=0) * without_theirs


scatter_multiply: Primitive = Primitive(
    "scatter_multiply",
    shape=_shape("scatter_multiply"),
    numpy=_at(np.multiply),
    xla=lambda jax, x, indices, rows: x.at[indices].multiply(rows, mode="drop"),
    vjp=(
        widened("scatter_multiply", lambda *given: _factor_shares(*given)[0]),
        None,
        widened("scatter_multiply", lambda *given: _factor_shares(*given)[1]),
    ),
    dtypes="numeric",
    common=(0, 2),
    samples=lambda rng: [
        (
            np.asarray([[0.3, -1.2], [0.8, 2.5], [-0.4, 0.1]]),
            np.asarray([2, 0, 2]),
            np.asarray([[1.3, -0.7], [0.6, -1.9], [1.5, -0.9]]),
        ),
        *_empty(),
    ],
    **_guards("scatter_multiply"),
)
