"""Primitives that pick single elements: along an axis, or by an index for each of several axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.index import out_of_range, refuse_others_than_integers
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec, spec


def _along_shape(x: Spec, indices: Spec, axis: int) -> Spec:
    refuse_others_than_integers("take_along_axis", indices)
    others = [tuple(n for i, n in enumerate(one.shape) if i != axis) for one in (x, indices)]
    if x.ndim != indices.ndim or others[0] != others[1]:
        raise ShapeError(
            f"take_along_axis: indices of shape {indices.shape} do not fit {x.shape} along axis {axis}.",
            why="Both must have the same number of axes, and equal lengths except along that axis.",
        )
    return spec(indices.shape, x.dtype)


def _along_guard(x: Any, indices: Any, axis: int) -> str | None:
    return out_of_range("take_along_axis", indices, axis, x.shape[axis])


def _inside(jax: Any, indices: Any, length: int) -> Any:
    return jax.numpy.all((indices >= 0) & (indices < length))


take_along_axis: Primitive = Primitive(
    "take_along_axis",
    shape=_along_shape,
    numpy=lambda x, indices, axis: np.take_along_axis(x, indices, axis),
    xla=lambda jax, x, indices, axis: jax.numpy.take_along_axis(x, indices, axis, mode="clip"),
    vjp=(
        lambda ct, y, x, indices, axis: put_along_axis(ct, indices, length=x.shape[axis], axis=axis),
        None,
    ),
    dtypes="own",
    guard=_along_guard,
    xla_guard=lambda jax, x, indices, axis: _inside(jax, indices, x.shape[axis]),
    guarded=(1,),
    samples=lambda rng: [
        (rng.standard_normal((3, 4)), np.asarray([[3, 0], [1, 1], [2, 2]]), {"axis": 1}),
        (rng.standard_normal((3, 2)), np.asarray([[0, 2]]), {"axis": 0}),
        (rng.standard_normal((4,)), np.zeros((0,), np.int64), {"axis": 0}),
    ],
)


def _grid(indices: Any, axis: int, xp: Any) -> tuple[Any, ...]:
    shape = indices.shape
    places = [
        xp.arange(n).reshape(tuple(-1 if i == j else 1 for j in range(len(shape))))
        for i, n in enumerate(shape)
    ]
    places[axis] = indices
    return tuple(places)


def _put_numpy(values: Any, indices: Any, length: int, axis: int) -> Any:
    shape = (*values.shape[:axis], length, *values.shape[axis + 1 :])
    full = np.zeros(shape, values.dtype)
    np.add.at(full, _grid(indices, axis, np), values)
    return full


def _put_xla(jax: Any, values: Any, indices: Any, length: int, axis: int) -> Any:
    shape = (*values.shape[:axis], length, *values.shape[axis + 1 :])
    return jax.numpy.zeros(shape, values.dtype).at[_grid(indices, axis, jax.numpy)].add(values, mode="drop")


# The transpose of `take_along_axis`: values with equal indices are added up.
put_along_axis: Primitive = Primitive(
    "put_along_axis",
    shape=lambda values, indices, length, axis: spec(
        (*values.shape[:axis], length, *values.shape[axis + 1 :]), values.dtype
    ),
    numpy=_put_numpy,
    xla=_put_xla,
    vjp=(lambda ct, y, values, indices, length, axis: take_along_axis(ct, indices, axis=axis), None),
    dtypes="numeric",
    common=(0,),
    guard=lambda values, indices, length, axis: out_of_range("take_along_axis", indices, axis, length),
    xla_guard=lambda jax, values, indices, length, axis: _inside(jax, indices, length),
    guarded=(1,),
    samples=lambda rng: [
        (rng.standard_normal((3, 2)), np.asarray([[3, 0], [1, 1], [2, 2]]), {"length": 4, "axis": 1}),
        (rng.standard_normal((1, 2)), np.asarray([[0, 2]]), {"length": 3, "axis": 0}),
        (np.zeros((2, 0)), np.zeros((2, 0), np.int64), {"length": 3, "axis": 1}),
        (np.zeros((0, 2)), np.zeros((0, 2), np.int64), {"length": 0, "axis": 0}),
    ],
)


def _index_shape(name: str) -> Any:
    def rule(index: Spec, length: int, axis: int) -> Spec:
        refuse_others_than_integers(name, index)
        return spec(index.shape, np.int64)

    return rule


def _wrap(xp: Any, index: Any, length: int) -> Any:
    # An index that is too far below stays unchanged, so that a message can name it.
    index = index.astype(np.int64)
    return xp.where((index < 0) & (index >= -length), index + length, index)


def _any_sign(index: Any, length: int, axis: int) -> str | None:
    return out_of_range("index", index, axis, length, wrapped=True)


def _index_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    return [
        (np.asarray([[1, -1], [0, -3]]), {"length": 3, "axis": 0}),
        (np.asarray(2), {"length": 3, "axis": 1}),
        (np.zeros((0,), np.int64), {"length": 3, "axis": 0}),
    ]


# A negative index counts from the end of its axis. The code that uses the index checks its range.
wrap_index = Primitive(
    "wrap_index",
    shape=_index_shape("wrap_index"),
    numpy=lambda index, length, axis: _wrap(np, index, length),
    xla=lambda jax, index, length, axis: _wrap(jax.numpy, index, length),
    derivative="discrete",
    dtypes="own",
    samples=_index_samples,
)
# The same, for indices of several axes that become one position, which would not show that one is too large.
checked_index = Primitive(
    "checked_index",
    shape=_index_shape("checked_index"),
    numpy=wrap_index.numpy,
    xla=wrap_index.xla,
    derivative="discrete",
    dtypes="own",
    guard=_any_sign,
    xla_guard=lambda jax, index, length, axis: jax.numpy.all((index >= -length) & (index < length)),
    guarded=(0,),
    samples=_index_samples,
)
