"""Primitives that select by position: gather and its row gradient, scatter, one-hot, ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import DTypeError, ShapeError
from penstock.ops.pointwise import equal, where
from penstock.ops.shape import broadcast_to, reshape
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def out_of_range(name: str, indices: Any, axis: int, length: int, wrapped: bool = False) -> str | None:
    """Returns a message about the first index outside 0 .. length - 1, or None if all are inside.

    With `wrapped`, indices from -length on are inside too.
    """
    indices = np.asarray(indices)
    first = -length if wrapped else 0
    if indices.size == 0:
        return None
    if indices.min() >= first and indices.max() < length:
        return None
    position = tuple(int(i) for i in np.argwhere((indices < first) | (indices >= length))[0])
    where = f" (at position {list(position)})" if position else ""
    return (
        f"{name}: index {int(indices[position])}{where} is out of range for axis {axis}, "
        f"which has {length} entr{'y' if length == 1 else 'ies'}."
    )


def refuse_others_than_integers(name: str, indices: Spec) -> None:
    """Raises DTypeError for indices that are not integers."""
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"{name}: the indices are {indices!r}; they must be integers.",
            remedy="Convert them, for example with astype(indices, 'int64').",
        )


def _take_shape(x: Spec, indices: Spec, axis: int) -> Spec:
    refuse_others_than_integers("take", indices)
    if not 0 <= axis < x.ndim:
        raise ShapeError(f"take: axis {axis} is not among the {x.ndim} axes of shape {x.shape}.")
    return spec((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)


def _take_xla(jax: Any, x: Any, indices: Any, axis: int) -> Any:
    # "clip" spares XLA a mask: indices outside are refused by the guard before anything is kept.
    if x.shape[axis] == 0:
        # There is nothing to take, and JAX would lose the axes of the indices.
        return jax.numpy.zeros((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)
    return jax.numpy.take(x, indices, axis=axis, mode="clip")


def _take_vjp(ct: Tensor, y: Tensor, x: Tensor, indices: Tensor, axis: int) -> Any:
    return take_transpose(ct, indices, shape=x.shape, axis=axis)


take: Primitive = Primitive(
    "take",
    shape=_take_shape,
    numpy=lambda x, indices, axis: np.take(x, indices, axis=axis),
    xla=_take_xla,
    vjp=(_take_vjp, None),
    dtypes="own",
    guard=lambda x, indices, axis: out_of_range("take", indices, axis, x.shape[axis]),
    xla_guard=lambda jax, x, indices, axis: jax.numpy.all((indices >= 0) & (indices < x.shape[axis])),
    guarded=(1,),
    samples=lambda rng: [
        (rng.standard_normal((5, 2)), np.asarray([3, 0, 3]), {"axis": 0}),
        (rng.standard_normal((5, 2)), np.asarray([[1], [0]]), {"axis": 1}),
        (rng.standard_normal((4,)), np.asarray(2), {"axis": 0}),
        (rng.standard_normal((4, 1)), np.zeros((0,), np.int64), {"axis": 0}),
        (np.zeros((0, 2)), np.zeros((0,), np.int64), {"axis": 0}),
    ],
)


def _add_at(full: Any, indices: Any, values: Any, axis: int) -> Any:
    np.add.at(full, (slice(None),) * axis + (indices,), values)
    return full


def _at(x: Any, indices: Any, axis: int) -> Any:
    return x.at[(slice(None),) * axis + (indices,)]


# The transpose of `take`: values with equal indices are added up.
take_transpose: Primitive = Primitive(
    "take_transpose",
    shape=lambda values, indices, shape, axis: spec(shape, values.dtype),
    numpy=lambda values, indices, shape, axis: _add_at(np.zeros(shape, values.dtype), indices, values, axis),
    xla=lambda jax, values, indices, shape, axis: _at(
        jax.numpy.zeros(shape, values.dtype), indices, axis
    ).add(values, mode="drop"),
    vjp=(lambda ct, y, values, indices, shape, axis: take(ct, indices, axis=axis), None),
    dtypes="numeric",
    common=(0,),
    # A gradient may be needed without the value of `take` and its guard.
    guard=lambda values, indices, shape, axis: out_of_range("take", indices, axis, shape[axis]),
    xla_guard=lambda jax, values, indices, shape, axis: jax.numpy.all(
        (indices >= 0) & (indices < shape[axis])
    ),
    guarded=(1,),
    samples=lambda rng: [
        (rng.standard_normal((3, 2)), np.asarray([3, 0, 3]), {"shape": (5, 2), "axis": 0}),
        (rng.standard_normal((5, 2, 1)), np.asarray([[1], [0]]), {"shape": (5, 2), "axis": 1}),
        (np.zeros((3, 0)), np.zeros((0,), np.int64), {"shape": (3, 2), "axis": 1}),
        (np.zeros((0, 2)), np.zeros((0,), np.int64), {"shape": (0, 2), "axis": 0}),
    ],
)


def _rows_shape(name: str) -> Any:
    def rule(x: Spec, indices: Spec, rows: Spec) -> Spec:
        refuse_others_than_integers(name, indices)
        wanted = (*indices.shape, *x.shape[1:])
        if indices.ndim != 1 or rows.shape != wanted:
            raise ShapeError(
                f"{name}: indices {indices.shape} and rows {rows.shape} do not fit a table {x.shape}.",
                why="Each index names a row of the first axis, and needs its own row.",
                remedy=f"Give rows of shape {wanted}."
                if indices.ndim == 1
                else "Give indices with exactly one axis.",
            )
        return x

    return rule


add_rows: Primitive = Primitive(
    "add_rows",
    shape=_rows_shape("add_rows"),
    numpy=lambda x, indices, rows: _add_at(x.copy(), indices, rows, 0),
    xla=lambda jax, x, indices, rows: x.at[indices].add(rows, mode="drop"),
    vjp=(
        lambda ct, y, x, indices, rows: ct,
        None,
        lambda ct, y, x, indices, rows: take(ct, indices, axis=0),
    ),
    dtypes="numeric",
    common=(0, 2),
    guard=lambda x, indices, rows: out_of_range("add_rows", indices, 0, x.shape[0]),
    xla_guard=lambda jax, x, indices, rows: jax.numpy.all((indices >= 0) & (indices < x.shape[0])),
    guarded=(1,),
    samples=lambda rng: [
        (rng.standard_normal((5, 2)), np.asarray([3, 0, 3]), rng.standard_normal((3, 2))),
        (rng.standard_normal((2,)), np.zeros((0,), np.int64), np.zeros((0,))),
    ],
)


def _set_at(x: Any, indices: Any, rows: Any) -> Any:
    x = x.copy()
    x[indices] = rows
    return x


def _zeros(like: Tensor) -> Tensor:
    return broadcast_to(cast(0, dtype=like.dtype), shape=like.shape)


def _set_rows_vjp(ct: Tensor, y: Tensor, x: Tensor, indices: Tensor, rows: Tensor) -> Tensor:
    # If an index occurs more than once, one row is kept: the one that is recognized by its number.
    (count,) = indices.shape
    number = arange(start=0, step=1, length=count, dtype=np.dtype(np.int64))
    kept = broadcast_to(cast(0, dtype=number.dtype), shape=x.shape[:1])
    kept = equal(take(set_rows(kept, indices, number), indices, axis=0), number)
    kept = reshape(kept, shape=(count,) + (1,) * (len(rows.shape) - 1))
    return where(kept, take(ct, indices, axis=0), 0.0)


def _set_rows_xla(jax: Any, x: Any, indices: Any, rows: Any) -> Any:
    """Sets rows; of those with the same index the last is kept, as in NumPy.

    On a processor XLA writes one row after another. Elsewhere it writes them in any order, so all but the
    last are dropped before.
    """
    numpy = jax.numpy
    count = x.shape[0]

    def in_order(x: Any, indices: Any, rows: Any) -> Any:
        return x.at[indices].set(rows, mode="drop")

    def last_of_each(x: Any, indices: Any, rows: Any) -> Any:
        order = numpy.argsort(indices, stable=True)
        ordered = indices[order]
        last = numpy.concatenate([ordered[1:] != ordered[:-1], numpy.ones((1,), bool)])
        return x.at[numpy.where(last, ordered, count)].set(rows[order], mode="drop")

    if isinstance(indices.shape[0], int) and indices.shape[0] < 2:
        return in_order(x, indices, rows)
    return jax.lax.platform_dependent(x, indices, rows, cpu=in_order, default=last_of_each)


set_rows: Primitive = Primitive(
    "set_rows",
    shape=_rows_shape("set_rows"),
    numpy=_set_at,
    xla=_set_rows_xla,
    vjp=(
        lambda ct, y, x, indices, rows: set_rows(ct, indices, _zeros(rows)),
        None,
        _set_rows_vjp,
    ),
    common=(0, 2),
    guard=lambda x, indices, rows: out_of_range("set_rows", indices, 0, x.shape[0]),
    xla_guard=lambda jax, x, indices, rows: jax.numpy.all((indices >= 0) & (indices < x.shape[0])),
    guarded=(1,),
    samples=lambda rng: [
        (rng.standard_normal((5, 2)), np.asarray([3, 0]), rng.standard_normal((2, 2))),
        (rng.standard_normal((4, 2)), np.asarray([1, 3, 1]), rng.standard_normal((3, 2))),
        (rng.standard_normal((3,)), np.asarray([2]), rng.standard_normal((1,))),
        (rng.standard_normal((2, 1)), np.zeros((0,), np.int64), np.zeros((0, 1))),
        (np.zeros((2, 0)), np.asarray([1]), np.zeros((1, 0))),
    ],
)


def _one_hot_shape(indices: Spec, length: int, dtype: Any) -> Spec:
    refuse_others_than_integers("one_hot", indices)
    return spec((*indices.shape, length), dtype)


# An index outside gives a row of zeros, as in TensorFlow and JAX.
one_hot = Primitive(
    "one_hot",
    shape=_one_hot_shape,
    numpy=lambda indices, length, dtype: (indices[..., None] == np.arange(length)).astype(dtype),
    xla=lambda jax, indices, length, dtype: (
        indices[..., None] == jax.lax.broadcasted_iota(indices.dtype, (*indices.shape, length), indices.ndim)
    ).astype(dtype),
    derivative="discrete",
    dtypes="own",
    samples=lambda rng: [
        (np.asarray(indices), {"length": length, "dtype": np.dtype(np.float64)})
        for indices, length in (([[2, 0], [1, 5]], 3), (np.zeros((0, 2), int), 3), ([0, 1], 0))
    ],
)

# A label outside the classes is refused: its loss would be one of no class at all.
label_one_hot = Primitive(
    "label_one_hot",
    shape=_one_hot_shape,
    numpy=one_hot.numpy,
    xla=one_hot.xla,
    derivative="discrete",
    dtypes="own",
    guard=lambda labels, length, dtype: out_of_range("cross-entropy labels", labels, -1, length),
    xla_guard=lambda jax, labels, length, dtype: jax.numpy.all((labels >= 0) & (labels < length)),
    guarded=(0,),
    samples=lambda rng: [
        (np.asarray(labels, np.int64), {"length": length, "dtype": np.dtype(np.float64)})
        for labels, length in (([2, 0], 3), ([], 3), ([], 0))
    ],
)

full = Primitive(
    "full",
    shape=lambda value, shape: spec(shape, value.dtype),
    numpy=lambda value, shape: np.full(shape, value),
    xla=lambda jax, value, shape: jax.numpy.full(shape, value),
    vjp=(lambda ct, y, value, shape: ct,),
    dtypes="own",
    samples=lambda rng: [(np.asarray(1.5), {"shape": one}) for one in ((2, 3), (), (0, 2))],
)


arange: Primitive = Primitive(
    "arange",
    shape=lambda start, step, length, dtype: spec((length,), dtype),
    numpy=lambda start, step, length, dtype: (start + step * np.arange(length)).astype(dtype),
    xla=lambda jax, start, step, length, dtype: (start + step * jax.numpy.arange(length)).astype(dtype),
    derivative="discrete",
    samples=lambda rng: [
        ({"start": 1, "step": 2, "length": 4, "dtype": np.dtype(np.int64)},),
        ({"start": 0, "step": 1, "length": 0, "dtype": np.dtype(np.float32)},),
    ],
)
