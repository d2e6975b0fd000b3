"""Functions of keras.ops along axes: sums, extremes, orders."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _elementwise,
    _ordering,
    _reductions,
)
from penstock.tensorflow import (
    math as _math,
)
from penstock.tensorflow import (
    nn as _nn,
)
from penstock.tensorflow.keras._ops.base import _axes, _given, _public, _real, _weak
from penstock.tensorflow.keras._ops.elementwise import _truth
from penstock.tensorflow.keras._ops.networks import _refuse_sparse
from penstock.tensorflow.keras._ops.shapes import diagonal

min_, max_ = min, max


def _reduction(name: str, native: str, prepared: _Callable[[Any], Any] = _given) -> None:
    function = getattr(_ps, native)

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(prepared(x), axis=_axes(axis), keepdims=keepdims)

    reduce.__doc__ = f"Returns {native}(x) along axes, or over all: see penstock.{native}."
    _public(reduce, name)


for _name, _native in {"mean": "mean", "var": "var"}.items():
    _reduction(_name, _native, _real)
for _name, _native in {"all": "all", "any": "any"}.items():
    _reduction(_name, _native, _truth)
for _name, _native in {"amax": "max", "amin": "min"}.items():
    _reduction(_name, _native)


@_public
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the standard deviation along axes, or over all."""
    return _reductions.reduce_std(_real(x), _axes(axis), keepdims)


def _small(x: Any) -> Any:
    """Returns a tensor whose sums do not overflow: truths and narrow integers become int32."""
    x = _given(x)
    kind, size = x._spec.dtype.kind, x._spec.dtype.itemsize
    if kind == "b" or (kind == "i" and size < 4):
        return _elementwise.cast(x, "int32")
    return _elementwise.cast(x, "uint32") if kind == "u" and size < 4 else x


@_public
def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the sum along axes, or over all."""
    x = _small(x)
    return _reductions.reduce_sum(x, axis, keepdims)


@_public
def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Returns the product along axes, or over all."""
    x = _small(x) if dtype is None else _given(x, dtype)
    return _reductions.reduce_prod(x, axis, keepdims)


def _extreme(name: str) -> None:
    reduce, combine = getattr(_ps, name), getattr(_ps, f"{name}imum")

    def extreme(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        found = reduce(_given(x), axis=_axes(axis), keepdims=keepdims)
        return found if initial is None else combine(found, _weak(initial, found))

    extreme.__doc__ = f"Returns the {name}imum along axes, or over all; `initial` counts with it."
    _public(extreme, name)


for _name in ("max", "min"):
    _extreme(_name)


def _position(name: str) -> None:
    function = getattr(_reductions, name)

    def position(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = _given(x)
        rank = len(x._spec.shape)
        if axis is None:
            x = _arrays.reshape(x, [-1])
        elif not rank:
            x = _arrays.reshape(x, [1])
        found = function(x, 0 if axis is None else axis, "int32")
        if not keepdims:
            return found
        return _arrays.reshape(found, [1] * rank) if axis is None else _arrays.expand_dims(found, axis)

    position.__doc__ = f"Returns {name}(x) along an axis, or in all, without regard to NaN."
    _public(position, name)


for _name in ("argmax", "argmin"):
    _position(_name)


@_public
def argsort(x: Any, axis: Any = -1) -> Any:
    """Returns the places of the elements in ascending order."""
    x = _given(x)
    x, axis = (_arrays.reshape(x, [-1]), -1) if axis is None else (x, axis)
    return _elementwise.cast(_ps.argsort(x, axis=axis), "int32")


@_public
def sort(x: Any, axis: Any = -1) -> Any:
    """Returns the elements in ascending order."""
    x = _given(x)
    return _ps.sort(_arrays.reshape(x, [-1])) if axis is None else _ps.sort(x, axis=axis)


@_public
def argpartition(x: Any, kth: int, axis: Any = -1) -> Any:
    """Returns places of which the first `kth` + 1 have the smallest elements, in ascending order.

    Elements are cut to whole numbers first, as Keras does on TensorFlow; the others are in descending order.
    """
    x = _given(x, "int32")
    x, axis = (_arrays.reshape(x, [-1]), -1) if axis is None else (x, axis)
    first = min_(max_(int(kth), 0), x._spec.shape[axis] - 1) + 1
    rows = _ps.moveaxis(x, axis, -1)
    order = _ps.argsort(rows, axis=-1, stable=True)
    smallest = order[..., :first]
    rest = _ps.sort(order[..., first:], axis=-1)
    places = _ps.argsort(-_ps.take_along_axis(rows, rest, axis=-1), axis=-1, stable=True)
    largest = _ps.take_along_axis(rest, places, axis=-1)
    found = _ps.moveaxis(_ps.concat([smallest, largest], axis=-1), -1, axis)
    return _elementwise.cast(found, "int32")


@_public
def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """Returns the largest elements and their indices, always the largest first."""
    return _ordering.top_k(_given(x), k, sorted)


@_public
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Returns whether each target is among the k best predictions."""
    return _nn.in_top_k(_given(targets), _real(predictions), k)


def _running(name: str, native: str) -> None:
    function = getattr(_ps, native)

    def run(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = _given(x, dtype)
        x = _elementwise.cast(x, "int32") if x._spec.dtype.kind == "b" else x
        made = function(_arrays.reshape(x, [-1])) if axis is None else function(x, axis=axis)
        return _elementwise.cast(made, x._spec.dtype)

    run.__doc__ = f"Returns {native}(x) along an axis: see penstock.{native}."
    _public(run, name)


_running("cumsum", "cumulative_sum")
_running("cumprod", "cumulative_prod")


@_public
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns log(sum(exp(x))) along axes, or over all."""
    return _reductions.reduce_logsumexp(_real(x), axis, keepdims)


@_public
def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """Returns the mean, in which elements may have weights."""
    x = _real(x)
    if weights is None:
        return _ps.mean(x, axis=_axes(axis))
    w = _elementwise.cast(_given(weights), x._spec.dtype)
    if axis is not None and len(w._spec.shape) != len(x._spec.shape):
        shape = [1] * len(x._spec.shape)
        shape[axis] = w._spec.shape[0]
        w = _arrays.reshape(w, shape)
    w = _ps.broadcast_to(w, x._spec.shape)
    return _ps.sum(x * w, axis=_axes(axis)) / _ps.sum(w, axis=_axes(axis))


@_public
def count_nonzero(x: Any, axis: Any = None) -> Any:
    """Returns how many elements are not zero."""
    return _elementwise.cast(_ps.count_nonzero(_given(x), axis=_axes(axis)), "int32")


@_public
def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the middle of the elements in order."""
    return _ps.median(_real(x), axis=_axes(axis), keepdims=keepdims)


@_public
def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Returns the q-quantile of the elements."""
    return _ps.quantile(_real(x), _plain(q), axis=_axes(axis), method=method, keepdims=keepdims)


def _plain(q: Any) -> Any:
    """Returns the requested quantiles, as a number or a list."""
    array = _np.asarray(q.numpy() if hasattr(q, "numpy") else q)
    return array.tolist()


@_public
def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the largest less the smallest element."""
    x = _given(x)
    return _ps.max(x, axis=_axes(axis), keepdims=keepdims) - _ps.min(x, axis=_axes(axis), keepdims=keepdims)


@_public
def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """Returns how often each whole number occurs."""
    _refuse_sparse(sparse)
    return _math.bincount(_given(x, "int32"), weights=weights, minlength=minlength)


@_public
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns the sum of the diagonal."""
    return _ps.sum(diagonal(x, offset, axis1, axis2), axis=-1)


@_public
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the norm of vectors or matrices, or of all elements."""
    x = _real(x)
    chosen = 2 if ord is None else ord
    if ord is None and (axis is None or isinstance(axis, tuple | list)):
        return _ps.sqrt(_ps.sum(_ps.abs(x) ** 2, axis=_axes(axis), keepdims=keepdims))
    return _ps.linalg.vector_norm(x, axis=_axes(axis), keepdims=keepdims, ord=chosen) if not isinstance(
        axis, tuple | list) else _ps.linalg.matrix_norm(x, keepdims=keepdims, ord=chosen)  # fmt: skip
