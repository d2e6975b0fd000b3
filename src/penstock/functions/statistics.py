"""Reducing axes, and running totals: sums, products, extremes, moments, truth."""

from __future__ import annotations

import builtins
import math
import sys
from typing import Any, Never

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions import creation
from penstock.functions.arguments import Axis, dtype_of, tensor, whole_axis
from penstock.functions.slips import answers, refuse
from penstock.ops import pointwise, reduce, scan
from penstock.ops import shape as _shape
from penstock.ops.complex_parts import conj, real
from penstock.ops.promotion import is_narrow, kind_of
from penstock.ops.table import Primitive, cast
from penstock.ops.validation import number, whole, wholes
from penstock.trace import lengths as _lengths
from penstock.trace.fast_path import find
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def _reduce(primitive: Primitive, x: Any, axis: Axis, keepdims: bool, dtype: Any = None) -> Tensor:
    if type(axis) not in _AXIS:
        # Arrays and tensors make no key.
        axis = wholes(f"{primitive.name}: axis", axis)
    head = (primitive.code, axis, keepdims)
    if dtype is None:
        found = find(head, x)
        if found is not None:
            return found
    x = tensor(x)
    wanted = _wide(primitive, x._spec.dtype, dtype)
    frame = _frame(2)
    if wanted != x._spec.dtype:
        x = cast.record((x,), {"dtype": wanted}, frame)
    axes = reduce.normalize_axes(primitive.name, axis, x.shape)
    return primitive.record((x,), {"axes": axes, "keepdims": bool(keepdims)}, frame, head)


def _wide(primitive: Primitive, own: np.dtype[Any], dtype: Any) -> np.dtype[Any]:
    """Returns the dtype of a reduction: sums of short integers are int64 or uint64, means floating-point."""
    if dtype is not None:
        return dtype_of(dtype)
    if primitive.name in _TOTALS and own.kind in "biu":
        return np.dtype(np.uint64 if own.kind == "u" else np.int64)
    if primitive is reduce.mean and own.kind in "biu":
        return np.dtype(np.float32)
    return own


_AXIS = (int, tuple, type(None))
_TOTALS = ("sum", "prod", "cumulative_sum", "cumulative_prod")


@answers
def sum(
    x: Any, /, *_more: Never, axis: Axis = None, dtype: Any = None, keepdims: bool = False, **_slips: Never
) -> Tensor:
    """Returns the sum over all axes, or over those named.

    Integers and booleans are added up as int64, unsigned ones as uint64, unless `dtype` is given.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        dtype: the dtype of the result, or its name; None for the one described.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.sum(ps.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    Tensor([4., 6.], dtype=float32)
    """
    if _more or _slips:
        refuse(sum, _more, _slips)
    return _reduce(reduce.sum, x, axis, keepdims, dtype)


@answers
def mean(x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never) -> Tensor:
    """Returns the arithmetic mean over all axes, or over those named; that of integers is float32.

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
    >>> ps.mean(ps.asarray([1.0, 2.0, 6.0]))
    Tensor(3., dtype=float32)
    """
    if _more or _slips:
        refuse(mean, _more, _slips)
    return _reduce(reduce.mean, x, axis, keepdims)


@answers
def prod(
    x: Any, /, *_more: Never, axis: Axis = None, dtype: Any = None, keepdims: bool = False, **_slips: Never
) -> Tensor:
    """Returns the product over all axes, or over those named. Dtypes are as those of `sum`.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        dtype: the dtype of the result, or its name; None for the one described.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.prod(ps.asarray([1.0, 2.0, 6.0]))
    Tensor(12., dtype=float32)
    """
    if _more or _slips:
        refuse(prod, _more, _slips)
    return _reduce(reduce.prod, x, axis, keepdims, dtype)


@answers
def max(x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never) -> Tensor:
    """Returns the largest element; equal ones share the gradient.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of the dtype of `x` without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.max(ps.asarray([1.0, 3.0, 2.0]))
    Tensor(3., dtype=float32)
    """
    if _more or _slips:
        refuse(max, _more, _slips)
    return _reduce(reduce.max, x, axis, keepdims)


@answers
def min(x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never) -> Tensor:
    """Returns the smallest element; equal ones share the gradient.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of the dtype of `x` without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.min(ps.asarray([1.0, 3.0, 2.0]))
    Tensor(1., dtype=float32)
    """
    if _more or _slips:
        refuse(min, _more, _slips)
    return _reduce(reduce.min, x, axis, keepdims)


@answers
def all(x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never) -> Tensor:
    """Returns whether every element is true, that is, not zero.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of booleans without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> bool(ps.all(ps.asarray([True, False])))
    False
    """
    if _more or _slips:
        refuse(all, _more, _slips)
    return _reduce(reduce.all, x, axis, keepdims)


@answers
def any(x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never) -> Tensor:
    """Returns whether some element is true, that is, not zero.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of booleans without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> bool(ps.any(ps.asarray([True, False])))
    True
    """
    if _more or _slips:
        refuse(any, _more, _slips)
    return _reduce(reduce.any, x, axis, keepdims)


@answers
def count_nonzero(
    x: Any, /, *_more: Never, axis: Axis = None, keepdims: bool = False, **_slips: Never
) -> Tensor:
    """Returns how many elements are not zero, over all axes or over those named.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor of int64 without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> int(ps.count_nonzero(ps.asarray([1.0, 0.0, 3.0])))
    2
    """
    if _more or _slips:
        refuse(count_nonzero, _more, _slips)
    frame = _frame(1)
    x = tensor(x)
    if x._spec.dtype.kind != "b":
        x = pointwise.not_equal.record((x, 0), {}, frame)
    return _reduce(reduce.sum, x, axis, keepdims)


@answers
def var(
    x: Any,
    /,
    *_more: Never,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    **_slips: Never,
) -> Tensor:
    """Returns the variance over all axes, or over those named: squared distances from the mean, averaged.

    The sum is divided by the number of elements minus `correction`; 1 gives the estimate from a sample. Where
    nothing is left to divide by, the result is NaN. That of integers is float32.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        correction: a number to subtract from the number of elements before dividing.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor without those axes; integers give float32.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.var(ps.asarray([1.0, 2.0, 3.0]), correction=1)
    Tensor(1., dtype=float32)
    """
    if _more or _slips:
        refuse(var, _more, _slips)
    frame = _frame(1)
    x = tensor(x)
    return _narrowed(_variance("var", x, axis, correction, keepdims, frame), x._spec.dtype, frame)


@answers
def std(
    x: Any,
    /,
    *_more: Never,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    **_slips: Never,
) -> Tensor:
    """Returns the standard deviation, the root of `var`. Where all elements are equal its slope is 0.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        correction: a number to subtract from the number of elements before dividing.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor without those axes; integers give float32.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.std(ps.asarray([1.0, 2.0, 3.0]), correction=1)
    Tensor(1., dtype=float32)
    """
    if _more or _slips:
        refuse(std, _more, _slips)
    frame = _frame(1)
    x = tensor(x)
    own = x._spec.dtype
    variance = _variance("std", x, axis, correction, keepdims, frame)
    # The root's slope at 0 is infinite: kept away from it, the zero passes nothing on.
    constant = pointwise.equal.record((variance, 0.0), {}, frame)
    inner = pointwise.where.record((constant, 1.0, variance), {}, frame)
    root = pointwise.sqrt.record((inner,), {}, frame)
    return _narrowed(pointwise.where.record((constant, 0.0, root), {}, frame), own, frame)


def _narrowed(x: Tensor, own: np.dtype[Any], frame: Any) -> Tensor:
    """Converts a float32 result to the two-byte dtype of the operand, if it has one."""
    return cast.record((x,), {"dtype": own}, frame) if is_narrow(own) else x


def _variance(name: str, x: Any, axis: Axis, correction: float, keepdims: bool, frame: Any) -> Tensor:
    """Returns the variance; that of integers and of two-byte numbers in float32."""
    x = tensor(x)
    if x._spec.dtype.kind in "biu" or is_narrow(x._spec.dtype):
        x = cast.record((x,), {"dtype": np.dtype(np.float32)}, frame)
    axes = reduce.normalize_axes(name, axis, x.shape)
    middle = reduce.mean.record((x,), {"axes": axes, "keepdims": True}, frame)
    apart = pointwise.subtract.record((x, middle), {}, frame)
    if kind_of(x._spec.dtype) == "c":
        square = pointwise.multiply.record((apart, conj.record((apart,), {}, frame)), {}, frame)
        square = real.record((square,), {}, frame)
    else:
        square = pointwise.square.record((apart,), {}, frame)
    count = math.prod(x.shape[one] for one in axes)
    params = {"axes": axes, "keepdims": bool(keepdims)}
    correction = number(f"{name}: correction", correction)
    if correction == 0:
        return reduce.mean.record((square,), params, frame)
    total = reduce.sum.record((square,), params, frame)
    return pointwise.divide.record((total, _lengths.real(_lengths.maximum(count - correction, 0))), {}, frame)


def _running(
    primitive: Primitive, x: Any, axis: int | None, dtype: Any, include_initial: bool, frame: Any
) -> Tensor:
    x = tensor(x)
    rank = len(x.shape)
    if axis is None:
        if rank > 1:
            raise ShapeError(
                f"{primitive.name} needs an axis for a value of shape {x.shape}.",
                remedy="Name it, for example axis=-1.",
                site=here(),
            )
        axis = 0
    axis = whole_axis(primitive.name, axis, rank)
    wanted = _wide(primitive, x._spec.dtype, dtype)
    if wanted != x._spec.dtype:
        x = cast.record((x,), {"dtype": wanted}, frame)
    result = primitive.record((x,), {"axis": axis, "reverse": False}, frame)
    if not include_initial:
        return result
    lengths = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    first = creation.full(lengths, 0 if primitive is scan.cumulative_sum else 1, dtype=wanted)
    return _shape.concat.record((first, result), {"axis": axis}, frame)


@answers
def cumulative_sum(
    x: Any,
    /,
    *_more: Never,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    **_slips: Never,
) -> Tensor:
    """Returns the sums of the elements up to each one along an axis; `include_initial` puts a 0 before them.

    A vector needs no axis. Dtypes are as those of `sum`.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; None is right for a vector only.
        dtype: the dtype of the result, or its name; None for the one described.
        include_initial: whether to begin with the value of no element.

    Returns:
        A tensor of the shape of `x`, longer by one with `include_initial`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.cumulative_sum(ps.asarray([1.0, 2.0, 3.0]))
    Tensor([1., 3., 6.], dtype=float32)
    """
    if _more or _slips:
        refuse(cumulative_sum, _more, _slips)
    return _running(scan.cumulative_sum, x, axis, dtype, include_initial, _frame(1))


@answers
def cumulative_prod(
    x: Any,
    /,
    *_more: Never,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    **_slips: Never,
) -> Tensor:
    """Returns the products of the elements up to each one along an axis; `include_initial` puts a 1 before.

    A vector needs no axis. Dtypes are as those of `sum`.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; None is right for a vector only.
        dtype: the dtype of the result, or its name; None for the one described.
        include_initial: whether to begin with the value of no element.

    Returns:
        A tensor of the shape of `x`, longer by one with `include_initial`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.cumulative_prod(ps.asarray([1.0, 2.0, 3.0]))
    Tensor([1., 2., 6.], dtype=float32)
    """
    if _more or _slips:
        refuse(cumulative_prod, _more, _slips)
    return _running(scan.cumulative_prod, x, axis, dtype, include_initial, _frame(1))


@answers
def cumulative_max(x: Any, /, *_more: Never, axis: int | None = None, **_slips: Never) -> Tensor:
    """Returns the largest of the elements up to each one along an axis; from a NaN on it is NaN.

    A vector needs no axis. The gradient goes to the element that is the largest so far; of equal ones to the
    latest, as in PyTorch.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; None is right for a vector only.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.cumulative_max(ps.asarray([1.0, 3.0, 2.0]))
    Tensor([1., 3., 3.], dtype=float32)
    """
    if _more or _slips:
        refuse(cumulative_max, _more, _slips)
    return _running(scan.cumulative_max, x, axis, None, False, _frame(1))


@answers
def cumulative_min(x: Any, /, *_more: Never, axis: int | None = None, **_slips: Never) -> Tensor:
    """Returns the smallest of the elements up to each one along an axis; from a NaN on it is NaN.

    A vector needs no axis. The gradient goes to the element that is the smallest so far; of equal ones to the
    latest, as in PyTorch.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; None is right for a vector only.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.cumulative_min(ps.asarray([3.0, 1.0, 2.0]))
    Tensor([3., 1., 1.], dtype=float32)
    """
    if _more or _slips:
        refuse(cumulative_min, _more, _slips)
    return _running(scan.cumulative_min, x, axis, None, False, _frame(1))


def cumulative_logsumexp(x: Any, /, *, axis: int | None = None) -> Tensor:
    """Returns log(sum(exp(x))) of the elements up to each one along an axis, without overflow.

    A vector needs no axis. Of elements that are all -inf it is -inf, and their gradient 0.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; None is right for a vector only.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.exp(ps.cumulative_logsumexp(ps.asarray([0.0, 0.0, 0.0]))).numpy().round(4)
    array([1., 2., 3.], dtype=float32)
    """
    return _running(scan.cumulative_logsumexp, x, axis, None, False, _frame(1))


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Tensor:
    """Returns the differences between neighbours along an axis, `n` times over.

    `prepend` and `append` are joined to x before.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.
        n: how many times, an int from 0.
        prepend: elements to put before, with the same axes; None for nothing.
        append: elements to put after, with the same axes; None for nothing.

    Returns:
        A tensor shorter by `n` along the axis.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `axis` or `n` has the wrong dtype or type.
        ArgumentError: if `n` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.diff(ps.asarray([1.0, 4.0, 9.0]))
    Tensor([3., 5.], dtype=float32)
    """
    frame = _frame(1)
    x = tensor(x)
    axis = whole_axis("diff", axis, len(x.shape))
    parts = [tensor(one) for one in (prepend, x, append) if one is not None]
    result = _shape.concat.record(parts, {"axis": axis}, frame) if len(parts) > 1 else parts[0]
    if whole("diff: n", n) < 0:
        raise ArgumentError(
            f"diff: n is {n}.", why="n is how many times to take differences: 0 or more.", site=here()
        )
    for _ in range(n):
        length = builtins.max(result.shape[axis], 1)
        windows = [
            tuple((start, stop, 1) if i == axis else (0, m, 1) for i, m in enumerate(result.shape))
            for start, stop in ((builtins.min(1, result.shape[axis]), result.shape[axis]), (0, length - 1))
        ]
        later, earlier = (_shape.slice_.record((result,), {"window": one}, frame) for one in windows)
        result = pointwise.subtract.record((later, earlier), {}, frame)
    return result


__all__ = [
    "all", "any", "count_nonzero", "cumulative_logsumexp", "cumulative_max", "cumulative_min",
    "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std", "sum", "var",
]  # fmt: skip
