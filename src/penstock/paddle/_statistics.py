"""Statistics: medians, quantiles, counts, histograms, and places in sorted sequences."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import segments
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle._convert import axes_in, data, operand, values_of
from penstock.paddle._declaring import in_linalg, in_paddle, method
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._introsort import LOOSE, TOP, ordered
from penstock.paddle._tensor import as_result, flagged, saving
from penstock.paddle._words import only_one
from penstock.paddle._writing import written
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@composite(1, "median", wide=True)
def _median(x: Any, axis: int, keepdim: bool, mean: bool) -> Tensor:
    ordered = native.sort(x, axis=axis)
    length = x.shape[axis]
    low, high = (length - 1) // 2, length // 2
    found = native.take(ordered, native.asarray(np.asarray([low])), axis=axis)
    if mean and high != low:
        found = (found + native.take(ordered, native.asarray(np.asarray([high])), axis=axis)) * 0.5
    if x.dtype.kind in "fV":
        found = native.where(native.any(native.isnan(x), axis=axis, keepdims=True), np.nan, found)
    return found if keepdim else native.squeeze(found, axis=axis)


@method
def median(
    x: Any = None, axis: Any = None, keepdim: bool = False, mode: str | None = None, name: Any = None,
    *, input: Any = None, dim: Any = None,
) -> Any:  # fmt: skip
    """Returns the middle element along an axis, or of all; of an even number the mean of two; NaN if one is.

    With the mode "min" it is the lower of the two, and its place comes with it where an axis is given. So it
    is, as in Paddle, if x or the axis is given by the words `input` or `dim` of other frameworks.
    """
    x, axis = only_one("x", x, "input", input), only_one("axis", axis, "dim", dim)
    mode = ("avg" if input is None and dim is None else "min") if mode is None else mode
    if mode not in ("avg", "min"):
        raise InvalidValueError(f"Mode {mode} is not supported. Must be avg or min.", site=here())
    x = operand(x)
    if mode == "min":
        flat = native.reshape(x, (-1,)) if axis is None else x
        one = 0 if axis is None else int(axis)
        found, places = _lower(flat, one, bool(keepdim) and axis is not None)
        if axis is None:
            return native.reshape(found, (1,) * len(x._spec.shape)) if keepdim else found
        return found, places
    if x._spec.dtype.kind in "iub":
        x = x.astype("float32")
    if axis is None:
        shape = (1,) * len(x._spec.shape)
        found = _median(native.reshape(x, (-1,)), 0, False, True)
        found = native.reshape(found, shape) if keepdim else found
    else:
        found = _median(x, int(axis), bool(keepdim), True)
    first = (x.size if axis is None else x.shape[axis]) // 2 + 1
    return saving(_shared(x, found, axis, first), _frame(1), x, result=True)


def _shared(x: Any, found: Any, axis: Any, first: int | None = None) -> Any:
    """Returns the medians found with Paddle's gradient, for which it looks at the values of x.

    All elements equal to the median have the same share. If it is between two values, an element of either
    has a half: those that are in the middle after putting so many `first`, or all that are not NaN.
    """
    if x.stop_gradient or not x._spec.shape:
        return found
    rows, _ = _laid(x, axis, False)
    array = np.asarray(rows.detach())
    holes = np.isnan(array)
    counts = (~holes if first is None else np.ones_like(holes)).sum(-1, keepdims=True)
    order = ordered(array, -1, False, TOP, int(counts.max(initial=1)) if first is None else first)
    ends = [np.take_along_axis(order, np.maximum(counts + less, 0) // 2, -1) for less in (-1, 0)]
    low, high = (np.take_along_axis(array, end, -1) for end in ends)
    unknown = holes.any(-1, keepdims=True) & (first is not None)
    alike = np.where(unknown, holes, array == low)
    shares = alike / np.maximum(alike.sum(-1, keepdims=True), 1)
    halves = np.zeros(array.shape)
    for end in ends:
        np.put_along_axis(halves, end, np.take_along_axis(halves, end, -1) + 0.5, -1)
    shares = np.where((low < high) & ~unknown, halves, shares).astype(array.dtype) * ~np.isinf(array)
    own = native.where(shares != 0.0, rows - rows.detach(), 0.0)
    return found.detach() + native.reshape(native.sum(own * shares, axis=-1), found._spec.shape)


def _lower(x: Any, axis: int, keepdim: bool) -> tuple[Any, Any]:
    """Returns the lower of the middle elements, or the first NaN, and its place."""
    _, places = _manipulation.topk(x, x._spec.shape[axis] // 2 + 1, axis, False)
    places = places.detach()
    places = native.take(places, data(np.asarray([(x._spec.shape[axis] - 1) // 2])), axis=axis)
    if x._spec.dtype.kind in "fV":
        holes = native.isnan(x)
        there = native.any(holes, axis=axis, keepdims=True)
        first = native.argmax(holes.astype("int32"), axis=axis, keepdims=True).astype("int64")
        places = native.where(there, first, places)
    found = native.take_along_axis(x, places, axis=axis)
    if not keepdim:
        found, places = native.squeeze(found, axis=axis), native.squeeze(places, axis=axis)
    return saving(found, _frame(2), x, result=True), places


@composite(1, "nansum", wide=True)
def _nansum(x: Any, axis: Any, keepdim: bool) -> Tensor:
    return native.sum(native.where(native.isnan(x), native.zeros_like(x), x), axis=axis, keepdims=keepdim)


@method
def nansum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the sum of the elements that are not NaN."""
    x = operand(x) if dtype is None else operand(x).astype(numpy_dtype(dtype).name)
    total = _nansum(x, axes_in(axis, x), bool(keepdim))
    return total if dtype is None else total.astype(numpy_dtype(dtype).name)


@composite(1, "nanmean", wide=True)
def _nanmean(x: Any, axis: Any, keepdim: bool) -> Tensor:
    there = native.logical_not(native.isnan(x))
    total = native.sum(native.where(there, x, native.zeros_like(x)), axis=axis, keepdims=keepdim)
    return total / native.sum(there.astype(x.dtype), axis=axis, keepdims=keepdim)


@method
def nanmean(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the mean of the elements that are not NaN."""
    x = operand(x)
    return _nanmean(x, axes_in(axis, x), bool(keepdim))


@composite(1, "count_nonzero")
def _count(x: Any, axis: Any, keepdim: bool) -> Tensor:
    # Paddle casts: the gradient passes as if each element were counted by its value.
    return native.sum(x.astype("bool").astype("int64"), axis=axis, keepdims=keepdim, dtype=np.int64)


@method
def count_nonzero(x: Any, axis: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns how many elements are not zero."""
    x = operand(x)
    return _count(x, axes_in(axis, x), bool(keepdim))


@method
def bincount(x: Any, weights: Any = None, minlength: int = 0, name: Any = None) -> Any:
    """Returns how often each integer from 0 occurs, or the sums of their weights; reads the values of x."""
    array = values_of(x)
    length = max(int(array.max()) + 1 if array.size else 0, int(minlength))
    if weights is None:
        return data(np.bincount(array, minlength=length).astype(np.int64))
    return _weighted(operand(weights), operand(x), length)


@composite(2, "bincount")
def _weighted(weights: Any, x: Any, length: int) -> Tensor:
    # The weights get no gradient, as in Paddle.
    return segments.segment_sum(pointwise.stop_gradient(weights), x, length)


@method
def histogram(
    input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0, weight: Any = None,
    density: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns how many elements lie in each of `bins` equal parts of a range, which is theirs by default."""
    array = values_of(input).reshape(-1)
    low, high = (array.min(), array.max()) if min == max == 0 and array.size else (min, max)
    weights = None if weight is None else values_of(weight).reshape(-1)
    found, _ = np.histogram(array, bins, (float(low), float(high)), density=density, weights=weights)
    plain = weights is None and not density
    return data(found.astype(np.int64 if plain else np.float32))


@composite(2, "searchsorted")
def _search(row: Any, values: Any, right: bool, dtype: Any) -> Tensor:
    return native.searchsorted(row, values, side="right" if right else "left").astype(dtype)


@in_paddle
def searchsorted(
    sorted_sequence: Any, values: Any, out_int32: bool = False, right: bool = False, name: Any = None,
    *, side: str | None = None, sorter: Any = None,
) -> Any:  # fmt: skip
    """Returns where each value would be put into a sorted sequence, along the last axis of both.

    `side` "right" is another word for `right`. `sorter` has the places that sort a sequence that is not.
    """
    rows, wanted = operand(sorted_sequence), operand(values)
    right = bool(right) or side == "right"
    if sorter is not None:
        rows = native.take_along_axis(rows, operand(sorter), axis=-1)
    dtype = np.dtype(np.int32 if out_int32 else np.int64)
    if len(rows._spec.shape) == 1:
        return _search(rows, wanted, bool(right), dtype)
    lead, width = rows._spec.shape[:-1], wanted._spec.shape[-1]
    flat, wide = native.reshape(rows, (-1, rows._spec.shape[-1])), native.reshape(wanted, (-1, width))
    found = [_search(flat[i], wide[i], bool(right), dtype) for i in range(flat._spec.shape[0])]
    return native.reshape(native.stack(found), (*lead, width))


@method
def bucketize(
    x: Any, sorted_sequence: Any, out_int32: bool = False, right: bool = False, name: Any = None
) -> Any:
    """Returns in which part between the borders of a sorted sequence each element is."""
    return searchsorted(sorted_sequence, x, out_int32, right)


@method
def kthvalue(x: Any, k: int, axis: int | None = -1, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the k-th smallest elements along an axis, the last one by default, and their places."""
    x, axis, k = operand(x), -1 if axis is None else axis, int(k)
    if x._spec.shape and not 0 < k <= x._spec.shape[axis]:
        raise InvalidValueError(
            f"kthvalue takes a k of 1 to {x._spec.shape[axis]}, the length of the axis; got {k}.", site=here()
        )
    order = ordered(np.asarray(x.detach()), axis, False, LOOSE, k)
    place = data(np.take(order, [k - 1], axis) if order.ndim else order)
    value = saving(native.take_along_axis(x, place, axis=axis), _frame(1), x)
    if not keepdim:
        value, place = native.squeeze(value, axis=axis), native.squeeze(place, axis=axis)
    return value, flagged(place, x)


def _sorted(x: Any) -> Any:
    """Returns the rows of x in order; which of equal elements comes first matters to a gradient alone."""
    return native.sort(x, axis=-1) if x.stop_gradient else _manipulation.sort(x, -1)


def _between(rows: Any, share: float, interpolation: str) -> Any:
    """Returns the value at a share of the length of sorted rows, a place computed in the precision of x."""
    kind = rows._spec.dtype.type
    place = kind(share) * kind(rows._spec.shape[-1] - 1)
    low, high = int(np.floor(place)), int(np.ceil(place))
    if interpolation == "nearest":
        low = high = int(np.rint(place))
    elif interpolation in ("lower", "higher"):
        low = high = low if interpolation == "lower" else high
    below = rows[..., low]
    if low == high:
        return below
    if interpolation == "midpoint":
        return (rows[..., high] + below) / 2
    return below + (rows[..., high] - below) * float(place - kind(low))


_INTERPOLATIONS = "linear", "lower", "higher", "midpoint", "nearest"


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


@method
def quantile(
    x: Any, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear", name: Any = None
) -> Any:
    """Returns the value below which the share q of the elements lie; several shares make a new first axis."""
    x = operand(x)
    shares = np.asarray(q, np.float64)
    if ((shares < 0.0) | (shares > 1.0)).any():
        raise InvalidValueError("q should be in range [0, 1]", site=here())
    if not shares.size:
        raise InvalidValueError("q should not be empty", site=here())
    kind = x._spec.dtype
    if kind.kind in "biu":
        x = _math.cast(x, default_dtype().name)
    flat, shown = _laid(x, axis, keepdim)
    if interpolation not in _INTERPOLATIONS:
        raise InvalidValueError(
            f"interpolation must be one of {', '.join(map(repr, _INTERPOLATIONS))}, but got {interpolation}",
            site=here(),
        )
    rows, holes = _sorted(flat), native.any(native.isnan(flat), axis=-1)
    found = [
        native.where(holes, math.nan, _between(rows, float(one), interpolation)).astype(rows._spec.dtype.name)
        for one in shares.reshape(-1)
    ]
    shaped = [one.reshape(shown) for one in found]
    result = _manipulation.stack(shaped, 0) if len(shaped) > 1 else shaped[0]
    return saving(result, _frame(1), result=True) if len(shaped) == 1 else result


@method
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


@method
def nanmedian(x: Any, axis: Any = None, keepdim: bool = False, mode: str = "avg", name: Any = None) -> Any:
    """Returns the middle element of those that are not NaN, or the mean of the middle two."""
    x = operand(x)
    found = nanquantile(x, 0.5, axis, keepdim, "midpoint" if mode == "avg" else "lower")
    if mode == "avg":
        return saving(_shared(x, found, axis), _frame(1), x, result=True)
    if not isinstance(axis, int):
        return saving(found, _frame(1), x, result=True)
    flat, _ = _laid(x, axis, keepdim)
    array = np.asarray(flat.detach())
    counts = (~np.isnan(array)).sum(-1, keepdims=True)
    order = ordered(array, -1, False, TOP, int(counts.max(initial=1)))
    middle = np.maximum(counts - 1, 0) // 2
    places = data(np.take_along_axis(order, middle, -1))
    values = native.take_along_axis(flat, places, axis=-1)
    values = saving(values.reshape(found._spec.shape), _frame(1), x, result=True)
    return values, places.reshape(found._spec.shape)


@method
def mode(x: Any, axis: int = -1, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the most frequent element along an axis, the least of several, and its place after sorting."""
    x = operand(x)
    array = np.moveaxis(np.asarray(x.detach()), axis, -1)
    rows = array.reshape(-1, array.shape[-1])
    places = []
    for row, order in zip(rows, ordered(rows, -1)):
        _, counts = np.unique(row, return_counts=True)
        places.append(order[counts[: counts.argmax() + 1].sum() - 1])
    index = np.expand_dims(np.asarray(places, np.int64).reshape(array.shape[:-1]), axis)
    values = saving(_manipulation.take_along_axis(x, data(index), axis), _frame(1), x)
    if keepdim:
        return values, flagged(data(index), x)
    return _manipulation.squeeze(values, axis), flagged(data(np.squeeze(index, axis)), x)


@method
def histogram_bin_edges(
    input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0, name: Any = None
) -> Any:
    """Returns the ends of equally wide bins; from the least element to the largest if both ends are equal."""
    x = np.asarray(operand(input))
    low, high = (x.min(), x.max()) if min == max and x.size else (min, max)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return data(np.linspace(low, high, bins + 1).astype(np.float32))


@in_linalg("paddle.Tensor.cov")
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
    saving(found, _frame(1), result=True)
    return found.squeeze() if found._spec.shape == (1, 1) else found


@in_linalg("paddle.Tensor.corrcoef")
def corrcoef(x: Any, rowvar: bool = True, name: Any = None) -> Any:
    """Returns the correlations of rows, or of columns."""
    found = cov(x, rowvar)
    if not found._spec.ndim:
        return found / found
    from penstock.paddle._matrices import diagonal

    deviations = _math.sqrt(diagonal(found))
    return _math.clip(found / deviations.unsqueeze(1) / deviations.unsqueeze(0), -1.0, 1.0)


@method
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
    if p < 0:
        raise InvalidValueError(
            f"The p must be greater than or equal to 0, But received p is {p}.", site=here()
        )
    x, y = operand(x), operand(y)
    return _math.norm(x.unsqueeze(-2) - y.unsqueeze(-3), float(p), -1)


@method
def pdist(
    x: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary", name: Any = None
) -> Any:
    """Returns the p-norm of the difference of each two rows; `compute_mode` does nothing."""
    x = operand(x)
    first, second = np.triu_indices(x._spec.shape[0], 1)
    pairs = _manipulation.gather(x, data(first)), _manipulation.gather(x, data(second))
    return as_result(_math.norm(pairs[0] - pairs[1], float(p), -1), _frame(1))


@method
def isin(x: Any, test_x: Any, assume_unique: bool = False, invert: bool = False, name: Any = None) -> Any:
    """Returns whether each element of x is among those of `test_x`; `assume_unique` does nothing."""
    return data(np.isin(np.asarray(operand(x)), np.asarray(operand(test_x)), invert=invert))


@method
def msort(input: Any, *, out: Any = None) -> Any:
    """Returns x sorted along the first axis."""
    return written(_manipulation.sort(input, 0), out, "msort", _frame(1))
