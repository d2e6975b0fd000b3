"""Functions of keras.ops that describe samples: correlations, histograms, and quantiles without NaNs."""

from __future__ import annotations

from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _convert,
    _convolution,
    _elementwise,
    _matrices,
    _ordering,
    _products,
    _reductions,
    _scatter,
    _special,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _axes, _given, _made, _pair, _public, _real
from penstock.tensorflow.keras._ops.elementwise import nan_to_num
from penstock.tensorflow.keras._ops.reductions import _plain, quantile
from penstock.trace.source_site import here as _here


@_public
def corrcoef(x: Any) -> Any:
    """Returns the correlations of the rows of x."""
    x = _real(x)
    if not x._spec.shape:
        return _convert.constant(float("nan"))
    centred = x - _reductions.reduce_mean(x, -1, keepdims=True)
    products = _products.matmul(centred, _ps.conj(centred), transpose_b=True) / float(x._spec.shape[-1] - 1)
    spread = _elementwise.sqrt(_special.real(_matrices.diag_part(products)))
    found = products / _elementwise.cast(_products.tensordot(spread, spread, axes=0), products.dtype)
    if found._spec.dtype.kind != "c":
        return _arrays.clip_by_value(found, -1.0, 1.0)
    parts = (_arrays.clip_by_value(one, -1.0, 1.0) for one in (_special.real(found), _special.imag(found)))
    return _special.complex(*parts)


@_public
def correlate(x1: Any, x2: Any, mode: str = "valid") -> Any:
    """Returns the sums of products of a row with another, moved along it step by step."""
    if mode not in ("full", "same", "valid"):
        raise _ArgumentError(
            f"Invalid mode: '{mode}'. Mode must be one of: 'full', 'same', 'valid'.", site=_here()
        )
    x, y = _pair(x1, x2)
    kind = "float64" if x._spec.dtype == _np.int64 else None
    x, y = (_elementwise.cast(one, kind) if kind else _real(one) for one in (x, y))
    n, m = x._spec.shape[0], y._spec.shape[0]
    around = 0 if mode == "valid" else max(m - 1, 0)
    row = _arrays.reshape(_arrays.pad(x, [[around, around]]), (1, -1, 1))
    made = _convolution.conv1d(row, _arrays.reshape(y, (-1, 1, 1)), 1, "VALID")[0, :, 0]
    if mode != "same":
        return made
    length = max(n, m)
    start = (n + m - 1 - length) // 2
    return made[start : start + length]


@_public
def histogram(x: Any, bins: int = 10, range: Any = None) -> Any:
    """Returns how many elements are in each of `bins` equal parts of a range, and the ends of the parts."""
    if not isinstance(bins, int):
        raise TypeError(f"Argument `bins` must be of type `int`. Received: bins={bins}")
    if bins < 0:
        raise _ArgumentError(
            f"Argument `bins` should be a non-negative integer. Received: bins={bins}", site=_here()
        )
    if range and (not isinstance(range, tuple) or len(range) < 2):
        raise _ArgumentError(
            f"Argument `range` must be a tuple of two elements. Received: range={range}", site=_here()
        )
    if range and range[1] < range[0]:
        raise _ArgumentError(
            f"The second element of `range` must be greater than the first. Received: range={range}",
            site=_here(),
        )
    x = _given(x)
    if len(x._spec.shape) > 1:
        raise _ArgumentError(
            f"Input tensor must be 1-dimensional. Received: input.shape={tuple(x.shape)}", site=_here()
        )
    low, high = range or (_reductions.reduce_min(x), _reductions.reduce_max(x))
    low, high = (_elementwise.cast(one, x.dtype) for one in (low, high))
    edges = _elementwise.cast(_arrays.linspace(low, high, bins + 1), x.dtype)
    # An element outside the range belongs to no bin.
    places = _ordering.searchsorted(edges[1:-1], x, side="right")
    inside = _elementwise.cast(_elementwise.logical_and(x >= low, x <= high), x.dtype)
    return _scatter.unsorted_segment_sum(inside, places, bins), edges


# -- without NaNs -------------------------------------------------------------------------------------------


def _position(name: str, worst: float) -> None:
    find = _made[name[3:]]

    def position(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = _given(x)
        if x._spec.dtype.kind not in "fV":
            return find(x, axis, keepdims)
        missing = _elementwise.is_nan(x)
        found = find(_arrays.where(missing, _elementwise.cast(worst, x.dtype), x), axis, keepdims)
        nothing = _reductions.reduce_all(missing, _axes(axis), keepdims)
        return _arrays.where(nothing, _elementwise.cast(-1, found.dtype), found)

    position.__doc__ = f"Returns {name[3:]}(x) without NaNs; -1 where there is nothing else."
    _public(position, name)


_position("nanargmax", -float("inf"))
_position("nanargmin", float("inf"))


def _running(name: str, neutral: float) -> None:
    run = _made[name[3:]]

    def running(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        return run(nan_to_num(x, neutral), axis, dtype)

    running.__doc__ = f"Returns {name[3:]}(x), in which a NaN counts as {neutral:g}."
    _public(running, name)


_running("nancumsum", 0.0)
_running("nancumprod", 1.0)


def _between(rows: Any, count: Any, share: float, method: str) -> Any:
    """Returns a quantile of the first `count` elements of rows in ascending order."""
    place = share * (count - 1.0)
    if method == "nearest":
        lower = upper = _elementwise.round(place)
    else:
        lower, upper = _elementwise.floor(place), _elementwise.ceil(place)

    def at(index: Any) -> Any:
        index = _elementwise.cast(_elementwise.maximum(index, 0.0), "int32")
        return _arrays.gather(rows, index[..., None], batch_dims=len(rows._spec.shape) - 1)[..., 0]

    if method in ("lower", "nearest"):
        return at(lower)
    if method == "higher":
        return at(upper)
    weight: Any = 0.5 if method == "midpoint" else place - lower
    return at(lower) * (1.0 - weight) + at(upper) * weight


@_public
def nanquantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Returns the q-quantile of the elements that are not NaN; NaN where there are none."""
    x = _given(x)
    if x._spec.dtype.kind not in "fV":
        return quantile(x, q, axis, method, keepdims)
    rank = len(x._spec.shape)
    over = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    over = tuple(one % rank for one in over)
    others = [one for one in range(rank) if one not in over]
    lengths = [x._spec.shape[one] for one in others]
    rows = _arrays.reshape(_arrays.transpose(x, [*others, *over]), [*lengths, -1])
    there = _elementwise.logical_not(_elementwise.is_nan(rows))
    count = _reductions.reduce_sum(_elementwise.cast(there, x.dtype), -1)
    rows = _ordering.sort(_arrays.where(there, rows, _elementwise.cast(float("inf"), x.dtype)))
    shares = _np.asarray(_plain(q))
    found = [_between(rows, count, float(one), method) for one in shares.reshape(-1)]
    found = [_arrays.where(count > 0.0, one, _elementwise.cast(float("nan"), x.dtype)) for one in found]
    made = _arrays.reshape(_arrays.stack(found), [*shares.shape, *lengths])
    if keepdims:
        kept = [1 if one in over else x._spec.shape[one] for one in range(rank)]
        made = _arrays.reshape(made, [*shares.shape, *kept])
    return made


@_public
def nanmedian(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the middle of the elements that are not NaN."""
    return nanquantile(x, 0.5, axis, "linear", keepdims)


@_public
def nanpercentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Returns the q-th percentile of the elements that are not NaN."""
    return nanquantile(x, _np.asarray(_plain(q)) / 100.0, axis, method, keepdims)


@_public
def cdist(x: Any, y: Any) -> Any:
    """Returns the distances of the rows of x from those of y."""
    x, y = _pair(x, y)
    if len(x._spec.shape) < 2 or len(y._spec.shape) < 2:
        raise _ArgumentError("`cdist` inputs must have rank >= 2", site=_here())
    if x._spec.shape[-1] != y._spec.shape[-1]:
        raise _ArgumentError("Last dimension of inputs to `cdist` must match", site=_here())
    return _ps.sqrt(_reductions.reduce_sum((x[..., :, None, :] - y[..., None, :, :]) ** 2, -1))
