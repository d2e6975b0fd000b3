"""Functions of tf.experimental.numpy along axes: sums, extremes, cumulative sums."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, linalg, math
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._numpy.creation import diagonal
from penstock.tensorflow._numpy.elementwise import divide, isnan
from penstock.tensorflow._numpy.promotion import (
    PLACE,
    common,
    fraction,
    given,
    integer,
    listed,
    refused,
)
from penstock.tensorflow._numpy.shapes import ravel
from penstock.tensorflow._tensor import EagerTensor

Reduction = Callable[..., Any]


def _wide(a: EagerTensor) -> Any:
    """Returns an array whose sums have 64 bits: of truths and of shorter whole numbers."""
    dtype = a._spec.dtype
    if dtype == np.bool_:
        return cast(a, np.int64)
    if integer(dtype) and dtype.itemsize < 8:
        return cast(a, np.int64 if dtype.kind == "i" else np.uint64)
    return a


def _total(function: Reduction, truths: Reduction) -> Reduction:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
        wanted = common(dtype) if dtype else None
        a = given(a, wanted)
        if wanted == np.bool_:
            return truths(a, axis, bool(keepdims))
        return function(a if wanted else _wide(a), axis, bool(keepdims))

    return reduce


def _extreme(function: Reduction, truths: Reduction) -> Reduction:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
        _refuse(out)
        a = given(a)
        return (truths if a._spec.dtype == np.bool_ else function)(a, axis, bool(keepdims))

    return reduce


def _refuse(out: Any) -> None:
    if out is not None:
        raise refused("Setting out is not supported.")


sum = listed("sum", _total(math.reduce_sum, math.reduce_any), "the sum along axes, or over all")
prod = listed("prod", _total(math.reduce_prod, math.reduce_all), "the product along axes, or over all")
amax = listed("amax", _extreme(math.reduce_max, math.reduce_any), "the largest element")
amin = listed("amin", _extreme(math.reduce_min, math.reduce_all), "the smallest element")


@named(f"{PLACE}.max")
def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the largest element along axes, or of all."""
    return amax(a, axis, keepdims=keepdims)


@named(f"{PLACE}.min")
def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the smallest element along axes, or of all."""
    return amin(a, axis, keepdims=keepdims)


@named(f"{PLACE}.ptp")
def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the distance from the smallest to the largest element."""
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


@named(f"{PLACE}.all")
def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns whether no element is 0."""
    return math.reduce_all(given(a, np.bool_), axis, bool(keepdims))


@named(f"{PLACE}.any")
def any(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns whether an element is not 0."""
    return math.reduce_any(given(a, np.bool_), axis, bool(keepdims))


def _prepared(a: Any, dtype: Any) -> Any:
    return given(a, common(dtype)) if dtype else fraction(a)


@named(f"{PLACE}.mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the mean along axes, or over all; that of whole numbers is float64.

    >>> from penstock import tensorflow as tf
    >>> print(tf.experimental.numpy.mean([[1, 2], [3, 5]], axis=0))
    tf.Tensor([2.  3.5], shape=(2,), dtype=float64)
    """
    _refuse(out)
    return math.reduce_mean(_prepared(a, dtype), axis, bool(keepdims))


@named(f"{PLACE}.std")
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the standard deviation along axes, or over all."""
    return math.reduce_std(fraction(a), axis, bool(keepdims))


@named(f"{PLACE}.var")
def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = None
) -> Any:
    """Returns the mean squared distance from the mean; `ddof` is subtracted from the number of elements."""
    _refuse(out)
    x = _prepared(a, common(a, dtype) if dtype else None)
    found = math.reduce_variance(x, axis, bool(keepdims))
    if ddof:
        count = x._spec.size // builtins.max(1, found._spec.size)
        found = found * (count / (count - ddof))
    return cast(found, dtype) if dtype else found


def _without_nan(reduction: Reduction, instead: int) -> Reduction:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        a = given(a)
        kept = _arrays.where(isnan(a), given(instead, a._spec.dtype), a)
        return reduction(kept, axis, dtype, keepdims)

    return reduce


nansum = listed("nansum", _without_nan(sum, 0), "the sum of the elements that are not NaN")
nanprod = listed("nanprod", _without_nan(prod, 1), "the product of the elements that are not NaN")


@named(f"{PLACE}.nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the mean of the elements that are not NaN."""
    a = given(a)
    if a._spec.dtype.kind in "biu":
        return mean(a, axis, dtype, keepdims=keepdims)
    wanted = dtype or a._spec.dtype
    count = sum(math.logical_not(isnan(a)), axis, wanted, keepdims)
    return divide(nansum(a, axis, wanted, keepdims), count)


def _cumulative(function: Reduction) -> Reduction:
    def cumulate(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        a = given(a, dtype) if dtype is not None else given(a)
        if dtype is None and integer(a._spec.dtype):
            a = cast(a, np.promote_types(a._spec.dtype, int))
        return function(ravel(a), 0) if axis is None else function(a, axis)

    return cumulate


cumsum = listed("cumsum", _cumulative(math.cumsum), "the sums of the elements so far")
cumprod = listed("cumprod", _cumulative(math.cumprod), "the products of the elements so far")


@named(f"{PLACE}.count_nonzero")
def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Returns how many elements are not 0."""
    return math.count_nonzero(given(a), axis)


@named(f"{PLACE}.average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Returns the weighted mean, and the sum of the weights on request."""
    if axis is not None and not isinstance(axis, int):
        raise refused(f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})")
    x = given(a)
    whole = x._spec.dtype.kind not in "fcV"
    if weights is None:
        x = fraction(x)
        found = math.reduce_mean(x, axis)
        count = given(x._spec.size if axis is None else x._spec.shape[axis], x._spec.dtype)
    else:
        wanted = common(x, weights, *([float] if whole else []))
        x, weight = given(x, wanted), given(weights, wanted)
        found, count = _weighted(x, weight, axis)
    return (found, _arrays.broadcast_to(count, found.shape)) if returned else found


def _weighted(x: EagerTensor, weight: EagerTensor, axis: Any) -> tuple[EagerTensor, EagerTensor]:
    """Returns the weighted mean, and the sum of weights for each element or for each along an axis."""
    if axis is None or len(x.shape) == len(weight.shape):
        if x.shape != weight.shape:
            raise refused(f"average: the shapes {x.shape} and {weight.shape} differ.")
        count = math.reduce_sum(weight, axis)
        return math.reduce_sum(x * weight, axis) / count, count
    if len(weight.shape) != 1:
        raise refused(f"average: weights of shape {weight.shape} are not one for each along axis {axis}.")
    count = math.reduce_sum(weight)
    return linalg.tensordot(x, weight, [[axis], [0]]) / count, count


@named(f"{PLACE}.trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Returns the sum of a diagonal."""
    wanted = common(dtype) if dtype else None
    a = given(a, wanted)
    rank = len(a.shape)
    if offset == 0 and (axis1 % rank, axis2 % rank) == (rank - 2, rank - 1):
        return linalg.trace(a)
    return sum(diagonal(a, offset, axis1, axis2), -1, wanted)
