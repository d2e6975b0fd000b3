"""Order statistics: medians, quantiles, percentiles, and counts of elements between edges."""

from __future__ import annotations

import math
from typing import Any, Never

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions import creation, datatypes, elementwise, manipulation, ordering, statistics
from penstock.functions import segments as _segments
from penstock.functions.arguments import Axis, tensor
from penstock.functions.composite import composite
from penstock.functions.slips import answers, refuse
from penstock.ops import reduce
from penstock.ops.promotion import is_narrow, kind_of
from penstock.ops.validation import shown, whole
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

METHODS = ("linear", "lower", "higher", "nearest", "midpoint")
"""How a quantile is computed from its two neighbours, under NumPy's names."""


@answers
def median(x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never) -> Tensor:
    """Returns the middle element over all axes, or over those named; of an even number, the mean of two.

    Integers become float32. Of values with a NaN among them it is NaN. The gradient goes to the elements in
    the middle. Raises ShapeError if there are no elements.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor without those axes; integers give float32.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.median(ps.asarray([[1.0, 9.0, 2.0], [4.0, 3.0, 8.0]]), axis=1)
    Tensor([2., 4.], dtype=float32)
    """
    if _more or _slips:
        refuse(median, _more, _slips)
    return _quantiles("median", x, (0.5,), (), axis, keepdims, "linear")


def quantile(
    x: Any, q: Any, /, *, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Tensor:
    """Returns the value below which a share `q` of the elements lies, over all axes or over `axis`.

    `q` is a number from 0 to 1, or a list of them, which adds a leading axis to the result. Between two
    elements, `method` decides: "linear", "lower", "higher", "nearest" or "midpoint", which mean what they
    mean in `numpy.quantile`. Integers become float32; of values with a NaN among them it is NaN. The gradient
    goes to the elements that the result is computed of. Raises ArgumentError for a share outside 0 .. 1.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        q: a share from 0 to 1, or a sequence of them.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.
        method: how to go between neighbours: "linear", "lower", "higher", "midpoint" or "nearest".

    Returns:
        A tensor without those axes, with the axes of `q` first.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.
        ArgumentError: if `q` or `method` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.quantile(ps.asarray([1.0, 2.0, 3.0, 5.0]), [0.5, 1.0])
    Tensor([2.5, 5. ], dtype=float32)
    """
    return _quantiles("quantile", x, *_shares("quantile", q, 1), axis, keepdims, method)


def percentile(
    x: Any, q: Any, /, *, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Tensor:
    """Returns `quantile(x, q / 100)`: `q` is a number from 0 to 100, or a list of them.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        q: a number from 0 to 100, or a sequence of them.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.
        method: as for `quantile`.

    Returns:
        A tensor without those axes, with the axes of `q` first.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.
        ArgumentError: if `q` or `method` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.percentile(ps.asarray([1.0, 2.0, 3.0, 5.0]), 50)
    Tensor(2.5, dtype=float32)
    """
    return _quantiles("percentile", x, *_shares("percentile", q, 100), axis, keepdims, method)


def _shares(name: str, q: Any, whole_range: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Returns numbers from 0 to 1, and their original shape."""
    if isinstance(q, Tensor | Cell):
        raise ArgumentError(
            f"{name}: q is {q!r}.",
            why="Which elements are taken is decided when the operation is recorded.",
            remedy=f"Pass numbers, for example {name}(x, q.tolist()).",
            site=here(),
        )
    try:
        array = np.asarray(q, np.float64) / whole_range
    except (TypeError, ValueError):
        array = np.asarray(math.nan)
    if not ((array >= 0) & (array <= 1)).all():
        raise ArgumentError(
            f"{name}: q is {shown(q)}.", remedy=f"Give numbers from 0 to {whole_range}.", site=here()
        )
    return tuple(array.reshape(-1).tolist()), array.shape


def _quantiles(
    name: str,
    x: Any,
    shares: tuple[float, ...],
    outer: tuple[int, ...],
    axis: Axis,
    keepdims: bool,
    method: str,
) -> Tensor:
    if method not in METHODS:
        raise ArgumentError(
            f"{name}: method is {method!r}.", remedy=f"Use {', '.join(map(repr, METHODS))}.", site=here()
        )
    x = tensor(x)
    axes = reduce.normalize_axes(name, axis, x.shape)
    count = math.prod(x.shape[one] for one in axes)
    if not isinstance(count, int):
        raise ShapeError(
            f"{name}: the shape {x.shape} has an unknown length.",
            why="Which elements are taken depends on how many there are.",
            remedy="Record the step with a batch of known length.",
            site=here(),
        )
    if not count:
        raise ShapeError(f"{name} was given no elements: shape {x.shape}.", site=here())
    if kind_of(x._spec.dtype) in "bi":
        x = datatypes.astype(x, "float32")
    return _of_sorted(x, axes, shares, outer, bool(keepdims), method)


@composite(1, "quantile", wide=True)
def _of_sorted(
    x: Any,
    axes: tuple[int, ...],
    shares: tuple[Any, ...],
    outer: tuple[int, ...],
    keepdims: bool,
    method: str,
) -> Tensor:
    rank = len(x.shape)
    kept = [one for one in range(rank) if one not in axes]
    count = math.prod(x.shape[one] for one in axes)
    rows = manipulation.reshape(
        manipulation.permute_dims(x, (*kept, *axes)), (*(x.shape[one] for one in kept), count)
    )
    rows = ordering.sort(rows, axis=-1)
    # NaN is sorted to the end.
    unknown = elementwise.isnan(rows[..., count - 1])
    found = [
        elementwise.where(unknown, math.nan, _between(rows, one * (count - 1), method)) for one in shares
    ]
    final = reduce.reduced(x.shape, axes, keepdims)
    return manipulation.reshape(manipulation.stack(found), (*outer, *final))


def _between(rows: Any, place: float, method: str) -> Any:
    """Returns the value at a place between two elements of sorted rows."""
    low, high = math.floor(place), math.ceil(place)
    if method == "nearest":
        low = high = round(place)
    elif method == "lower":
        high = low
    elif method == "higher":
        low = high
    below = rows[..., low]
    if low == high:
        return below
    return below + (rows[..., high] - below) * (0.5 if method == "midpoint" else place - low)


def histogram(
    x: Any, /, bins: Any = 10, range: Any = None, *, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    """Returns the number of elements between neighbouring edges, and the edges.

    `bins` is a number of parts of equal width, which reach from the smallest to the largest element or over
    `range`, a pair of numbers; or it is the edges, ascending. A part holds its lower edge, the last one both;
    elements outside are not counted. With `weights` it adds them up instead of counting; gradients pass to
    them. With `density` the parts' areas add up to 1. Counts are int64. Raises ArgumentError for bins or a
    range that mean nothing.

    Args:
        x: real numbers of any shape.
        bins: how many parts, an int, or the edges as a vector in ascending order.
        range: the lowest and the highest edge; None for those of the data.
        weights: how much each element counts, in the shape of `x`; None for 1.
        density: whether to divide by the total and the widths.

    Returns:
        A tuple of counts [bins] and edges [bins + 1].

    Raises:
        ShapeError: if `x` or `weights` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `bins` or `weights` has the wrong dtype or type.
        ArgumentError: if `bins` or `range` has a value that is not allowed.

    >>> import penstock as ps
    >>> counts, edges = ps.histogram(ps.asarray([1.0, 2.0, 2.5, 3.0]), bins=2)
    >>> counts.tolist(), edges.tolist()
    ([1, 3], [1.0, 2.0, 3.0])
    """
    x = tensor(x)
    if weights is not None and tensor(weights).shape != x.shape:
        raise ShapeError(
            f"histogram: weights has shape {tensor(weights).shape}, x {x.shape}.",
            why="Each element has one weight.",
            site=here(),
        )
    own, x = x._spec.dtype, manipulation.reshape(x, (-1,))
    if kind_of(own) in "bi" or is_narrow(own):
        x = datatypes.astype(x, "float32")
    edges = _edges(x, bins, range)
    count = edges._spec.size - 1
    # A part holds its lower edge, so an element equal to an edge goes to the right of it.
    place = ordering.searchsorted(edges, x, side="right") - 1
    place = elementwise.where(x == edges[-1], count - 1, place)
    inside = elementwise.logical_and(x >= edges[0], x <= edges[-1])
    if weights is None:
        amounts = datatypes.astype(inside, "int64")
    else:
        amounts = manipulation.reshape(tensor(weights), (-1,))
        if is_narrow(amounts._spec.dtype):
            amounts = datatypes.astype(amounts, "float32")
        amounts = elementwise.where(inside, amounts, creation.zeros_like(amounts))
    found = _segments.segment_sum(amounts, elementwise.where(inside, place, 0), count)
    if density:
        shares = datatypes.astype(found, x.dtype)
        found = shares / (statistics.sum(shares) * (edges[1:] - edges[:-1]))
    if is_narrow(own):
        # Sums of two-byte numbers are made in four.
        edges = datatypes.astype(edges, own)
        found = datatypes.astype(found, own) if kind_of(found._spec.dtype) == "f" else found
    return found, edges


def _edges(x: Any, bins: Any, range: Any) -> Any:
    """Returns the edges of the parts of a histogram."""
    if np.ndim(bins):
        edges = datatypes.astype(tensor(bins), x.dtype)
        if len(edges.shape) != 1 or edges._spec.size < 2:
            raise ArgumentError(
                f"histogram: bins has shape {edges.shape}.",
                why="Edges are a vector of at least two numbers, ascending.",
                site=here(),
            )
        return edges
    count = whole("histogram: bins", bins)
    if count < 1:
        raise ArgumentError(f"histogram: bins is {count}.", remedy="Ask for at least one.", site=here())
    low: Any
    high: Any
    if range is not None:
        low, high = _pair(range)
    elif not x._spec.size:
        low, high = 0.0, 1.0
    else:
        low, high = statistics.min(x), statistics.max(x)
        # As in NumPy: a single value is in the middle of a width of 1.
        alone = low == high
        low, high = (elementwise.where(alone, one + side, one) for one, side in ((low, -0.5), (high, 0.5)))
    steps = creation.linspace(0.0, 1.0, count + 1, dtype=x.dtype)
    # The last edge is the largest element itself, not nearly so.
    return elementwise.where(steps == 1.0, high, low + (high - low) * steps)


def _pair(range: Any) -> tuple[float, float]:
    try:
        low, high = (float(one) for one in range)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high or math.isinf(high - low):
        raise ArgumentError(
            f"histogram: range is {shown(range)}.",
            remedy="Give a pair of finite numbers, the smaller one first.",
            site=here(),
        )
    return low, high


__all__ = ["histogram", "median", "percentile", "quantile"]
