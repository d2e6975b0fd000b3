"""Tensors stacked side by side and cut apart along named axes, and axes split, kept or exchanged."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np

from penstock.paddle import _creation, _manipulation, _math, _slicing
from penstock.paddle._convert import data, lengths_of, operand
from penstock.paddle._declaring import in_paddle, method
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import as_result, saving
from penstock.trace.source_site import here, user_frame

_frame = sys._getframe


def _each(inputs: Any, rank: int) -> Any:
    found = []
    for one in inputs:
        x = operand(one)
        own = x._spec.ndim
        if own < rank and own == 0:
            x = x.reshape([1] * rank)
        elif own < rank:
            x = x.reshape([1, x._spec.shape[0]]) if rank == 2 or own == 1 else x
            if rank == 3:
                x = x.unsqueeze(-1)
        found.append(x)
    return found[0] if len(found) == 1 else found


def _listed(inputs: Any) -> Any:
    return inputs[0] if len(inputs) == 1 and isinstance(inputs[0], list | tuple) else inputs


@method
def atleast_1d(*inputs: Any, name: Any = None) -> Any:
    """Returns each tensor with one axis or more."""
    return _each(_listed(inputs), 1)


@method
def atleast_2d(*inputs: Any, name: Any = None) -> Any:
    """Returns each tensor with two axes or more."""
    return _each(_listed(inputs), 2)


@method
def atleast_3d(*inputs: Any, name: Any = None) -> Any:
    """Returns each tensor with three axes or more."""
    return _each(_listed(inputs), 3)


def _many(inputs: Any, rank: int) -> list[Any]:
    found = _each(list(inputs), rank)
    return found if isinstance(found, list) else [found]


@in_paddle
def hstack(x: Any, name: Any = None) -> Any:
    """Returns tensors side by side, along the second axis, or the first where there is one."""
    parts = _many(x, 1)
    return _manipulation.concat(parts, 0 if parts[0]._spec.ndim == 1 else 1)


@in_paddle("row_stack")
def vstack(x: Any, name: Any = None) -> Any:
    """Returns tensors below each other, along the first axis."""
    return _manipulation.concat(_many(x, 2), 0)


@in_paddle
def dstack(x: Any, name: Any = None) -> Any:
    """Returns tensors behind each other, along the third axis."""
    return _manipulation.concat(_many(x, 3), 2)


@in_paddle
def column_stack(x: Any, name: Any = None) -> Any:
    """Returns vectors as the columns of a matrix, and matrices side by side."""
    parts = [operand(one) for one in x]
    return _manipulation.concat([one.reshape([-1, 1]) if one._spec.ndim < 2 else one for one in parts], 1)


@method
def tensor_split(x: Any, num_or_indices: Any, axis: int = 0, name: Any = None) -> list[Any]:
    """Returns x cut at indices, or into a number of parts that are about equally long."""
    x = operand(x)
    axis = axis % x._spec.ndim
    length = x._spec.shape[axis]
    if isinstance(num_or_indices, int):
        size, more = divmod(length, num_or_indices)
        lengths = [size + 1] * more + [size] * (num_or_indices - more)
        cuts = [0, *itertools.accumulate(lengths)]
    else:
        # A place from the end counts from there, and one past the end is the end.
        places = [min(n + length if n < 0 else n, length) for n in num_or_indices]
        cuts = [0, *places, length]
    frame = _frame(1)
    found = [
        _slicing.slice(x, [axis], [start], [max(start, stop)]) for start, stop in itertools.pairwise(cuts)
    ]
    # Only those cut at indices share memory with x.
    return [as_result(one, frame) for one in found] if isinstance(num_or_indices, int) else found


def _with_rank(word: str, x: Any, rank: int) -> Any:
    x = operand(x)
    if x._spec.ndim < rank:
        raise InvalidValueError(
            f"The input tensor's dimension must be greater than {rank - 1}, but got {x._spec.ndim}",
            remedy=f"paddle.{word} cuts along axis {rank - 1}.",
            site=here(),
        )
    return x


@method
def hsplit(x: Any, num_or_indices: Any, name: Any = None) -> list[Any]:
    """Returns x cut along the second axis, or the first where there is one."""
    x = _with_rank("hsplit", x, 1)
    return tensor_split(x, num_or_indices, 1 if x._spec.ndim > 1 else 0)


@method
def vsplit(x: Any, num_or_indices: Any, name: Any = None) -> list[Any]:
    """Returns x cut along the first axis."""
    return tensor_split(_with_rank("vsplit", x, 2), num_or_indices, 0)


@method
def dsplit(x: Any, num_or_indices: Any, name: Any = None) -> list[Any]:
    """Returns x cut along the third axis."""
    return tensor_split(_with_rank("dsplit", x, 3), num_or_indices, 2)


@method
def unflatten(x: Any, axis: int, shape: Any, name: Any = None) -> Any:
    """Returns x with one axis as several, whose lengths are `shape`; one of them may be -1."""
    x = operand(x)
    lengths = list(x._spec.shape)
    axis = axis % len(lengths)
    return x.reshape([*lengths[:axis], *lengths_of(shape), *lengths[axis + 1 :]])


@method
def block_diag(inputs: Any, name: Any = None) -> Any:
    """Returns a matrix of matrices along its diagonal, and zeros elsewhere."""
    parts = _many(inputs, 2)
    width = sum(one._spec.shape[1] for one in parts)
    rows, start = [], 0
    for one in parts:
        height, own = one._spec.shape
        kind = one._spec.dtype.name
        ends = [_creation.zeros([height, n], kind) for n in (start, width - start - own)]
        rows.append(_manipulation.concat([ends[0], one, ends[1]], 1))
        start += own
    return _manipulation.concat(rows, 0)


@in_paddle
def cartesian_prod(x: Any, name: Any = None) -> Any:
    """Returns all combinations of one element of each vector, as rows."""
    parts = [operand(one) for one in x]
    if len(parts) == 1:
        return parts[0]
    return _manipulation.stack([one.reshape([-1]) for one in _manipulation.meshgrid(*parts)], 1)


@method
def combinations(x: Any, r: int = 2, with_replacement: bool = False, name: Any = None) -> Any:
    """Returns all choices of r elements of a vector, in order, as rows."""
    x = operand(x)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.asarray(list(choose(range(x._spec.shape[0]), r)), np.int64).reshape(-1, r)
    if not places.size:
        return _creation.empty([0, r] if r else [0], x._spec.dtype.name)
    return saving(_manipulation.gather(x, data(places.reshape(-1))).reshape([-1, r]), user_frame(1), x)


@method
def vander(x: Any, n: int | None = None, increasing: bool = False, name: Any = None) -> Any:
    """Returns the powers of a vector's elements as rows, the highest first unless `increasing`."""
    x = operand(x)
    count = x._spec.shape[0] if n is None else n
    powers = list(range(count)) if increasing else list(range(count - 1, -1, -1))
    if not powers:
        return _creation.empty([x._spec.shape[0], 0], x._spec.dtype.name)
    return _manipulation.stack([_math.pow(x, one) for one in powers], 1)


@method
def ravel(input: Any) -> Any:
    """Returns x with one axis."""
    return _manipulation.flatten(input)


@method
def permute(input: Any, *order: Any, dims: Any = None) -> Any:
    """Returns x with its axes in another order, which `dims` may give too."""
    return _manipulation.transpose(input, list(_listed(order) if dims is None else dims))


@method
def reduce_as(x: Any, target: Any, name: Any = None) -> Any:
    """Returns sums of x over the axes that the target does not have, or has with length 1."""
    x, target = operand(x), operand(target)
    wanted = list(target._spec.shape)
    extra = x._spec.ndim - len(wanted)
    axes = [*range(extra), *(i + extra for i, n in enumerate(wanted) if n == 1)]
    return saving(_math.sum(x, axes).reshape(wanted), user_frame(1), x, target) if axes else x


@method
def argwhere(input: Any) -> Any:
    """Returns the places of the elements that are not 0, as rows."""
    return _manipulation.nonzero(input)


@method
def broadcast_shapes(*shapes: Any) -> list[int]:
    """Returns the shape that all of these broadcast to."""
    try:
        return list(np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError as error:
        raise InvalidValueError(str(error), site=here()) from None


@method
def multiplex(inputs: Any, index: Any, name: Any = None) -> Any:
    """Returns a tensor whose i-th row is that of the input with the number `index[i]`."""
    parts = [operand(one) for one in inputs]
    stacked = _manipulation.stack(parts, 0)
    index = operand(index).reshape([-1])
    rows = _creation.arange(index._spec.shape[0], dtype="int64")
    return saving(stacked[_math.cast(index, "int64"), rows], user_frame(1), *parts)
