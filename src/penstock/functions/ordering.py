"""Sorting, searching, and sets of the elements that occur."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Never

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions.arguments import tensor, whole_axis
from penstock.functions.slips import answers, refuse
from penstock.ops import index, reduce
from penstock.ops import shape as _shape
from penstock.ops import sort as order
from penstock.ops.table import Primitive
from penstock.state.variable import read
from penstock.trace.local import value_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete

_frame = sys._getframe


def _position(primitive: Primitive, x: Any, axis: int | None, keepdims: bool) -> Tensor:
    x = tensor(x)
    frame = _frame(2)
    params = {"dtype": np.dtype(np.int64)}
    if axis is None:
        flat = _shape.reshape.record((x,), {"shape": (x._spec.size,)}, frame)
        found = primitive.record((flat,), {"axis": 0, **params}, frame)
        final: tuple[int, ...] = (1,) * len(x.shape) if keepdims else ()
    else:
        (one,) = reduce.normalize_axes(primitive.name, axis, x.shape)
        found = primitive.record((x,), {"axis": one, **params}, frame)
        final = reduce.reduced(x.shape, (one,), keepdims)
    return found if found.shape == final else _shape.reshape.record((found,), {"shape": final}, frame)


@answers
def argmax(
    x: Any, /, *_more: Never, axis: int | None = None, keepdims: bool = False, **_slips: Never
) -> Tensor:
    """Returns the position of the largest element (discrete: no gradient).

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; None for the flattened array.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of int64 without the axis.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> int(ps.argmax(ps.asarray([1.0, 3.0, 2.0])))
    1
    """
    if _more or _slips:
        refuse(argmax, _more, _slips)
    return _position(reduce.argmax, x, axis, keepdims)


@answers
def argmin(
    x: Any, /, *_more: Never, axis: int | None = None, keepdims: bool = False, **_slips: Never
) -> Tensor:
    """Returns the position of the smallest element (discrete: no gradient).

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; None for the flattened array.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of int64 without the axis.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> int(ps.argmin(ps.asarray([1.0, 3.0, 2.0])))
    0
    """
    if _more or _slips:
        refuse(argmin, _more, _slips)
    return _position(reduce.argmin, x, axis, keepdims)


@answers
def sort(
    x: Any, /, *_more: Never, axis: int = -1, descending: bool = False, stable: bool = True, **_slips: Never
) -> Tensor:
    """Returns the elements in order along an axis, NaN last (first if `descending`).

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.
        descending: whether the largest comes first.
        stable: there for the array API standard: the order of equal ones is always kept.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.sort(ps.asarray([3.0, 1.0, 2.0]), descending=True)
    Tensor([3., 2., 1.], dtype=float32)
    """
    if _more or _slips:
        refuse(sort, _more, _slips)
    x = tensor(x)
    params = {
        "axis": whole_axis("sort", axis, len(x.shape)),
        "descending": bool(descending),
        "stable": bool(stable),
    }
    return order.sort.record((x,), params, _frame(1))


@answers
def argsort(
    x: Any,
    /,
    *_more: Never,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,  # noqa: ARG001 - of the array standard
    **_slips: Never,
) -> Tensor:
    """Returns the positions that put the elements in order (discrete: no gradient).

    Equal elements keep their order, whatever `stable` says.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.
        descending: whether the largest comes first.
        stable: there for the array API standard: the order of equal ones is always kept.

    Returns:
        A tensor of int64, of the shape of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.argsort(ps.asarray([3.0, 1.0, 2.0]))
    Tensor([1, 2, 0], dtype=int64)
    """
    if _more or _slips:
        refuse(argsort, _more, _slips)
    x = tensor(x)
    params = {
        "axis": whole_axis("argsort", axis, len(x.shape)),
        "descending": bool(descending),
        "stable": True,
    }
    return order.argsort.record((x,), params, _frame(1))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Tensor:
    """Returns where in the ascending vector x1 each element of x2 would be put to keep the order.

    Among equal elements it is put before the first (`side="left"`) or after the last ("right"). `sorter`
    holds the positions that put x1 in order, if it is not.

    Args:
        x1: a vector of real numbers in ascending order.
        x2: real numbers of any shape.
        side: "left" or "right": before or after equal elements.
        sorter: integers that sort `x1`, as `argsort` returns them; None if it is sorted.

    Returns:
        A tensor of int64, of the shape of `x2`.

    Raises:
        ShapeError: if `x1` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.
        ArgumentError: if `side` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.searchsorted(ps.asarray([1.0, 2.0, 3.0]), ps.asarray([2.0, 9.0]))
    Tensor([1, 3], dtype=int64)
    """
    frame = _frame(1)
    x1, x2 = tensor(x1), tensor(x2)
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side is {side!r}.", remedy="Use 'left' or 'right'.", site=here())
    if len(x1.shape) != 1:
        raise ShapeError(
            f"searchsorted: x1 has shape {x1.shape}.", why="It looks into a vector.", site=here()
        )
    if sorter is not None:
        x1 = index.take.record((x1, tensor(sorter)), {"axis": 0}, frame)
    return order.searchsorted.record((x1, x2), {"side": side}, frame)


def looked_at(x: Any, how: str, frame: Any) -> Any:
    """Returns the value of a tensor or variable, on whose values the shape of a result depends."""
    return np.asarray(value_of(read(x) if isinstance(x, Cell) else x, how, frame))


def nonzero(x: Any, /) -> tuple[Tensor, ...]:
    """Returns the positions of the nonzero elements: for each axis, a vector of indices, in order.

    Their number depends on the values, which are read.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A tuple of vectors of int64, one for each axis.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nonzero(ps.asarray([0.0, 5.0, 6.0]))
    (Tensor([1, 2], dtype=int64),)
    """
    frame = _frame(1)
    x = tensor(x)
    if not x.shape:
        raise ShapeError(
            "nonzero was given a value without axes.", remedy="Reshape it to (1,), or use where.", site=here()
        )
    return tuple([_indices(one) for one in np.nonzero(looked_at(x, "nonzero()", frame))])


def _indices(array: Any) -> Tensor:
    array = np.asarray(array, np.int64)
    array.flags.writeable = False
    return concrete(array)


class UniqueAll(NamedTuple):
    """What `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def _unique(x: Any, how: str, frame: Any) -> UniqueAll:
    x = tensor(x)
    value = looked_at(x, how, frame)
    # Every NaN is a separate element, because no two of them are equal.
    _, first, inverse, counts = np.unique(
        value.reshape(-1), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    flat = _shape.reshape.record((x,), {"shape": (x._spec.size,)}, frame)
    # Taken from x, so that gradients pass.
    values = index.take.record((flat, _indices(first)), {"axis": 0}, frame)
    return UniqueAll(values, _indices(first), _indices(inverse.reshape(value.shape)), _indices(counts))


def unique_all(x: Any, /) -> UniqueAll:
    """Returns the different elements in order, where each occurs first, which each element is, and how often.

    Their number depends on the values, which are read. Gradients pass to the first occurrences.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A named tuple of `values`, `indices`, `inverse_indices`, `counts`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.unique_all(ps.asarray([2.0, 1.0, 2.0])).inverse_indices
    Tensor([1, 0, 1], dtype=int64)
    """
    return _unique(x, "unique_all()", _frame(1))


def unique_counts(x: Any, /) -> UniqueCounts:
    """Returns the different elements in order, and how often each occurs: see `unique_all`.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A named tuple of `values`, `counts`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.unique_counts(ps.asarray([2.0, 1.0, 2.0])).counts
    Tensor([1, 2], dtype=int64)
    """
    found = _unique(x, "unique_counts()", _frame(1))
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Returns the different elements in order, and which of them each element is: see `unique_all`.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A named tuple of `values`, `inverse_indices`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> values, inverse = ps.unique_inverse(ps.asarray([2.0, 1.0, 2.0]))
    >>> ps.take(values, inverse)
    Tensor([2., 1., 2.], dtype=float32)
    """
    found = _unique(x, "unique_inverse()", _frame(1))
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Any, /) -> Tensor:
    """Returns the different elements in order: see `unique_all`.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.

    Returns:
        A vector of the dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.unique_values(ps.asarray([2.0, 1.0, 2.0]))
    Tensor([1., 2.], dtype=float32)
    """
    return _unique(x, "unique_values()", _frame(1)).values


__all__ = [
    "argmax", "argmin", "argsort", "nonzero", "searchsorted", "sort", "unique_all", "unique_counts",
    "unique_inverse", "unique_values",
]  # fmt: skip
