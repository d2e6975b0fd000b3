"""What samples have in common: quantiles, modes, covariances, distances, areas below curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.functions import quantiles
from penstock.functions.composite import composite
from penstock.paddle import _creation, _manipulation, _math, _selecting
from penstock.paddle._convert import data, operand
from penstock.paddle._dtype import default_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@composite(1, "quantile")
def _quantile(x: Any, q: Any, axis: int, keepdims: bool, method: str) -> Tensor:
    return quantiles.quantile(x, q, axis=axis, keepdims=keepdims, method=method)


def _laid(x: Any, axis: Any, keepdim: bool) -> tuple[Any, list[int]]:
    """Returns x with the chosen axes as the last one, and the lengths that a result has."""
    rank = x._spec.ndim
    axes = list(range(rank)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    axes = [one % rank for one in axes]
    rest = [one for one in range(rank) if one not in axes]
    lengths = x._spec.shape
    kept = [lengths[one] for one in rest]
    flat = _manipulation.transpose(x, [*rest, *axes]).reshape([*kept, math.prod(lengths[i] for i in axes)])
    shown = [1 if one in axes else lengths[one] for one in range(rank)] if keepdim else kept
    return flat, shown


def quantile(
    x: Any, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear", name: Any = None
) -> Any:
    """Returns the value below which the share q of the elements lie; several shares make a new first axis."""
    x = operand(x)
    shares = np.asarray(q, np.float64)
    if ((shares < 0.0) | (shares > 1.0)).any():
        raise InvalidValueError("q should be in range [0, 1]", site=here())
    kind = x._spec.dtype
    if kind.kind in "biu":
        x = _math.cast(x, default_dtype().name)
    flat, shown = _laid(x, axis, keepdim)
    given = tuple(float(one) for one in shares.reshape(-1))
    found = _quantile(flat, given, -1, False, interpolation)
    return found.reshape([len(given), *shown]) if shares.ndim else found.reshape(shown)


def nanquantile(
    x: Any, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear", name: Any = None
) -> Any:
    """Returns what `quantile` does of the elements that are not NaN; values are looked at."""
    x = operand(x)
    flat, shown = _laid(x, axis, keepdim)
    holes = np.isnan(np.asarray(flat.detach()))
    if not holes.any():
        return quantile(x, q, axis, keepdim, interpolation)
    width = flat._spec.shape[-1]
    rows = flat.reshape([-1, width])
    shares = np.asarray(q, np.float64)
    found = []
    for number, hole in enumerate(holes.reshape(-1, width)):
        places = data(np.flatnonzero(~hole))
        if places._spec.size:
            found.append(quantile(_manipulation.gather(rows[number], places), q, None, False, interpolation))
        else:
            found.append(_creation.full(list(shares.shape), math.nan, x._spec.dtype.name))
    return _manipulation.stack(found, -1).reshape([*shares.shape, *shown])


def nanmedian(x: Any, axis: Any = None, keepdim: bool = False, mode: str = "avg", name: Any = None) -> Any:
    """Returns the middle element of those that are not NaN, or the mean of the middle two."""
    found = nanquantile(x, 0.5, axis, keepdim, "midpoint" if mode == "avg" else "lower")
    if mode == "avg" or axis is None:
        return found
    flat, _ = _laid(operand(x), axis, keepdim)
    array = np.asarray(flat.detach())
    order = np.argsort(array, -1, kind="stable")
    middle = np.maximum((~np.isnan(array)).sum(-1, keepdims=True) - 1, 0) // 2
    places = np.take_along_axis(order, middle, -1)[..., 0]
    return found, data(places.reshape(found._spec.shape))


def mode(x: Any, axis: int = -1, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the most frequent element along an axis, the least of several, and its last place."""
    x = operand(x)
    array = np.moveaxis(np.asarray(x.detach()), axis, -1)
    rows = array.reshape(-1, array.shape[-1])
    places = []
    for row in rows:
        values, counts = np.unique(row, return_counts=True)
        places.append(np.flatnonzero(row == values[counts.argmax()])[-1])
    index = np.expand_dims(np.asarray(places, np.int64).reshape(array.shape[:-1]), axis)
    values = _manipulation.take_along_axis(x, data(index), axis)
    if keepdim:
        return values, data(index)
    return _manipulation.squeeze(values, axis), data(np.squeeze(index, axis))


def histogram_bin_edges(
    input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0, name: Any = None
) -> Any:
    """Returns the ends of equally wide bins; from the least element to the largest if both ends are equal."""
    x = np.asarray(operand(input))
    low, high = (x.min(), x.max()) if min == max and x.size else (min, max)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return data(np.linspace(low, high, bins + 1).astype(np.float32))


def cov(
    x: Any,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Any = None,
    aweights: Any = None,
    name: Any = None,
) -> Any:
    """Returns the covariances of rows, or of columns, with weights of the observations."""
    x = operand(x)
    x = x.unsqueeze(0) if x._spec.ndim == 1 else x
    x = x if rowvar else _manipulation.transpose(x, [1, 0])
    weight: Any = None
    for given in (fweights, aweights):
        if given is not None:
            own = _math.cast(operand(given), x._spec.dtype.name)
            weight = own if weight is None else weight * own
    if weight is None:
        total: Any = float(x._spec.shape[1])
        mean = _math.mean(x, 1, keepdim=True)
        apart = x - mean
        scaled = apart
    else:
        total = _math.sum(weight)
        mean = _math.sum(x * weight, 1, keepdim=True) / total
        apart = x - mean
        scaled = apart * weight
    less: Any = 0.0
    if ddof:
        less = 1.0
        if aweights is not None:
            less = _math.sum(weight * _math.cast(operand(aweights), x._spec.dtype.name)) / total
    found = _math.matmul(scaled, apart, transpose_y=True) / (total - less)
    return found.squeeze() if found._spec.shape == (1, 1) else found


def corrcoef(x: Any, rowvar: bool = True, name: Any = None) -> Any:
    """Returns the correlations of rows, or of columns."""
    found = cov(x, rowvar)
    if not found._spec.ndim:
        return found / found
    from penstock.paddle._matrices import diagonal

    deviations = _math.sqrt(diagonal(found))
    return _math.clip(found / deviations.unsqueeze(1) / deviations.unsqueeze(0), -1.0, 1.0)


def cdist(
    x: Any,
    y: Any,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
    name: Any = None,
) -> Any:
    """Returns the p-norm of the difference of each row of x and each row of y.

    Differences are computed in each mode, so `compute_mode` does nothing.
    """
    x, y = operand(x), operand(y)
    return _math.norm(x.unsqueeze(-2) - y.unsqueeze(-3), float(p), -1)


def pdist(
    x: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary", name: Any = None
) -> Any:
    """Returns the p-norm of the difference of each two rows; `compute_mode` does nothing."""
    x = operand(x)
    first, second = np.triu_indices(x._spec.shape[0], 1)
    pairs = _manipulation.gather(x, data(first)), _manipulation.gather(x, data(second))
    return _math.norm(pairs[0] - pairs[1], float(p), -1)


def _slices(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Returns the areas between neighbours."""
    y = operand(y)
    if x is not None and dx is not None:
        raise InvalidValueError("Not permitted to specify both x and dx input args.", site=here())
    axis = axis % y._spec.ndim
    length = y._spec.shape[axis]
    left = _selecting.slice(y, [axis], [0], [length - 1])
    right = _selecting.slice(y, [axis], [1], [length])
    width: Any = 1.0 if dx is None else dx
    if x is not None:
        x = operand(x)
        width = _selecting.diff(x, axis=0 if x._spec.ndim == 1 else axis)
        if x._spec.ndim == 1:
            width = width.reshape([-1, *[1] * (y._spec.ndim - axis - 1)])
    return (left + right) * 0.5 * width


def trapezoid(y: Any, x: Any = None, dx: Any = None, axis: int = -1, name: Any = None) -> Any:
    """Returns the area below straight lines through points, at x or at equal distances."""
    return _math.sum(_slices(y, x, dx, axis), axis)


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = None, axis: int = -1, name: Any = None) -> Any:
    """Returns the areas below straight lines through points, up to each but the first."""
    return _math.cumsum(_slices(y, x, dx, axis), axis)


__all__ = [
    "cdist", "corrcoef", "cov", "cumulative_trapezoid", "histogram_bin_edges", "mode", "nanmedian",
    "nanquantile", "pdist", "quantile", "trapezoid",
]  # fmt: skip
