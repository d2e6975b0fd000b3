"""Primitives of order: sorting, the positions that sort, and the position for inserting a value."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops import comparison_xla
from penstock.ops.gather import take_along_axis
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.permutation(12).reshape(3, 4) / 7 - 0.8, 2)
    return [
        (x, {"axis": 1, "descending": False, "stable": True}),
        (x, {"axis": 0, "descending": True, "stable": True}),
        (x[0], {"axis": 0, "descending": True, "stable": False}),
        (np.zeros((0, 2)), {"axis": 0, "descending": False, "stable": True}),
    ]


def _comparable(x: Any) -> Any:
    """Widens bfloat16, whose own order in NumPy has no place for NaN."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def _argsort_numpy(x: Any, axis: int, descending: bool, stable: bool) -> Any:
    x = _comparable(x)
    if not descending:
        return np.argsort(x, axis=axis, stable=stable).astype(np.int64)
    # Reversed before and after, so that equal elements keep their order.
    order = np.argsort(np.flip(x, axis), axis=axis, stable=stable)
    return (x.shape[axis] - 1 - np.flip(order, axis)).astype(np.int64)


argsort: Primitive = Primitive(
    "argsort",
    shape=lambda x, axis, descending, stable: spec(x.shape, np.int64),
    numpy=_argsort_numpy,
    # XLA's sort is always stable: the order of equal elements is then the same in both tiers.
    xla=lambda jax, x, axis, descending, stable: jax.numpy.argsort(
        comparison_xla.order(jax, x), axis=axis, descending=descending, stable=True
    ).astype(np.int64),
    derivative="discrete",
    dtypes="real",
    samples=_samples,
)


def _sort_numpy(x: Any, axis: int, descending: bool, stable: bool) -> Any:
    y = np.sort(_comparable(x), axis=axis, stable=stable).astype(x.dtype)
    return np.flip(y, axis) if descending else y


def _sort_xla(jax: Any, x: Any, axis: int, descending: bool, stable: bool) -> Any:
    keys = comparison_xla.order(jax, x)
    y = jax.lax.sort((keys, x), dimension=axis, is_stable=True, num_keys=1)[1]
    return jax.numpy.flip(y, axis) if descending else y


def _sort_vjp(ct: Tensor, y: Tensor, x: Tensor, axis: int, descending: bool, stable: bool) -> Tensor:
    order = argsort(x, axis=axis, descending=descending, stable=True)
    back = argsort(order, axis=axis, descending=False, stable=True)
    return take_along_axis(ct, back, axis=axis)


sort: Primitive = Primitive(
    "sort",
    shape=lambda x, axis, descending, stable: x,
    numpy=_sort_numpy,
    xla=_sort_xla,
    vjp=(_sort_vjp,),
    dtypes="real",
    samples=_samples,
)


def _searchsorted_shape(x: Spec, values: Spec, side: str) -> Spec:
    assert x.shape[:-1] == values.shape[: x.ndim - 1], (x, values)
    return spec(values.shape, np.int64)


def _searchsorted(x: Any, values: Any, side: Any) -> Any:
    x, values = _comparable(x), _comparable(values)
    found = np.empty(values.shape, np.int64)
    for place in np.ndindex(x.shape[:-1]):
        found[place] = np.searchsorted(x[place], values[place], side=side)
    return found


def _searchsorted_xla(jax: Any, x: Any, values: Any, side: str) -> Any:
    def one(x: Any, values: Any) -> Any:
        ordered = [comparison_xla.order(jax, given) for given in (x, values)]
        return jax.numpy.searchsorted(*ordered, side=side).astype(np.int64)

    for _ in range(x.ndim - 1):
        one = jax.vmap(one)
    return one(x, values)


# The vectors' axes before the last are batch axes, which the values also begin with.
searchsorted: Primitive = Primitive(
    "searchsorted",
    shape=_searchsorted_shape,
    numpy=_searchsorted,
    xla=_searchsorted_xla,
    derivative="discrete",
    dtypes="real",
    samples=lambda rng: (
        [
            (np.asarray([-1.0, 0.5, 0.5, 2.0]), np.asarray([[0.5, -3.0], [9.0, 0.0]]), {"side": side})
            for side in ("left", "right")
        ]
        + [
            (np.zeros((0,)), np.asarray([[0.5, -3.0]]), {"side": "left"}),
            (np.asarray([0.5, 2.0]), np.zeros((0, 2)), {"side": "right"}),
            (np.zeros((0, 2)), np.zeros((0, 3)), {"side": "left"}),
        ]
    ),
)
