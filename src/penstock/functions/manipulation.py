"""Arranging elements: shapes, axes, joining, repeating, rolling."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Sequence
from typing import Any, Never

import numpy as np

from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.functions.arguments import Axis, lengths_of, tensor, whole_axis
from penstock.functions.slips import answers, refuse
from penstock.ops import gather, index, reduce
from penstock.ops import shape as _shape
from penstock.ops.table import broadcast_shapes
from penstock.ops.validation import shown, whole, wholes
from penstock.state.variable import read
from penstock.trace.engine import engine
from penstock.trace.local import value_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete

_frame = sys._getframe


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Tensor:  # noqa: ARG001 - of the array standard
    """Returns x in another shape of as many elements; one length may be -1.

    A tensor never changes, so that `copy` makes no difference.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        shape: a sequence of ints, one of which may be -1.
        copy: there for the array API standard; a tensor never changes.

    Returns:
        A tensor of shape `shape`, of the same dtype.

    Raises:
        ShapeError: if `x` or `shape` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `shape` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.reshape(ps.asarray([1.0, 2.0]), (2, -1)).shape
    (2, 1)
    """
    x = tensor(x)
    lengths = list(wholes("reshape: the shape", shape))
    if -1 in lengths:
        rest = math.prod(n for n in lengths if n != -1)
        size = x._spec.size
        if lengths.count(-1) > 1 or (size % rest if rest else size):
            raise ShapeError(
                f"reshape: {x.shape} does not fit {tuple(lengths)}.",
                remedy=f"The lengths must multiply to {size} elements, with at most one -1.",
                site=here(),
            )
        lengths[lengths.index(-1)] = size // rest if rest else 0
    return _shape.reshape.record((x,), {"shape": tuple(lengths)}, _frame(1))


def permute_dims(x: Any, /, axes: Sequence[int]) -> Tensor:
    """Returns x with its axes in another order.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axes: every axis once, in the new order.

    Returns:
        A tensor of the same dtype, with the same lengths in another order.

    Raises:
        ShapeError: if `x` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axes` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.permute_dims(ps.zeros((2, 3)), (1, 0)).shape
    (3, 2)
    """
    x = tensor(x)
    named = wholes("permute_dims: axes", axes)
    rank = len(x.shape)
    order = tuple([whole_axis("permute_dims", axis, rank) for axis in named])
    if sorted(order) != list(range(rank)):
        raise ShapeError(
            f"permute_dims: {named} is not a permutation of the {rank} axes of shape {x.shape}.",
            why="Name each axis exactly once.",
            remedy=f"Give the numbers 0 to {rank - 1} in the order you want." if rank else "",
            site=here(),
        )
    return _shape.transpose.record((x,), {"axes": order}, _frame(1))


def moveaxis(x: Any, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """Returns x with some axes moved to new places; the others keep their order.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        source: the positions of the axes, an int or a sequence of ints.
        destination: their new positions, as many as in `source`.

    Returns:
        A tensor of the same dtype, with the same lengths in another order.

    Raises:
        ShapeError: if `x`, `source` or `destination` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `source` or `destination` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.moveaxis(ps.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = tensor(x)
    rank = len(x.shape)
    given = [wholes("moveaxis: source", source), wholes("moveaxis: destination", destination)]
    start, end = ([whole_axis("moveaxis", axis, rank) for axis in one] for one in given)
    if len(start) != len(end) or len(set(start)) != len(start) or len(set(end)) != len(end):
        raise ArgumentError(
            f"moveaxis cannot move axes {source} to {destination}.",
            why="Name each axis once, and give one destination for each.",
            site=here(),
        )
    order = [axis for axis in range(rank) if axis not in start]
    for place, axis in sorted(zip(end, start, strict=True)):
        order.insert(place, axis)
    return _shape.transpose.record((x,), {"axes": tuple(order)}, _frame(1))


def matrix_transpose(x: Any, /) -> Tensor:
    """Returns x with its last two axes exchanged.

    Args:
        x: matrices [..., n, m] of any dtype.

    Returns:
        A tensor of the same dtype, with the same lengths in another order.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.matrix_transpose(ps.zeros((2, 3))).shape
    (3, 2)
    """
    x = tensor(x)
    rank = len(x.shape)
    if rank < 2:
        raise ShapeError(
            f"matrix_transpose needs two axes; the shape is {x.shape}.",
            remedy="Add an axis with expand_dims.",
            site=here(),
        )
    return _shape.transpose.record((x,), {"axes": (*range(rank - 2), rank - 1, rank - 2)}, _frame(1))


def broadcast_to(x: Any, /, shape: Any) -> Tensor:
    """Returns x repeated along new axes, and along axes of length 1, to a shape.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        shape: the shape to broadcast to, a sequence of ints.

    Returns:
        A tensor of shape `shape`.

    Raises:
        ShapeError: if `x` or `shape` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `shape` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.broadcast_to(ps.asarray([1.0, 2.0]), (2, 2))
    Tensor([[1., 2.],
     [1., 2.]], dtype=float32)
    """
    return _shape.broadcast_to.record((x,), {"shape": lengths_of(shape)}, _frame(1))


def broadcast_arrays(*arrays: Any) -> list[Tensor]:
    """Returns tensors repeated along axes so that all have the shape they broadcast to.

    Args:
        arrays: arrays or tensors.

    Returns:
        A list of tensors of one shape.

    Raises:
        DTypeError: if `arrays` has the wrong dtype or type.
        ShapeError: if `arrays` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> [one.shape for one in ps.broadcast_arrays(ps.zeros((2, 1)), ps.zeros((3,)))]
    [(2, 3), (2, 3)]
    """
    given = [tensor(one) for one in arrays]
    frame = _frame(1)
    common = broadcast_shapes("broadcast_arrays", *(one.shape for one in given))
    return [_shape.broadcast_to.record((one,), {"shape": common}, frame) for one in given]


@answers
def expand_dims(x: Any, /, *_more: Never, axis: int = 0, **_slips: Never) -> Tensor:
    """Returns x with a new axis of length 1 at a position.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the place of the new axis, an int.

    Returns:
        A tensor with one axis more.

    Raises:
        DTypeError: if `x` or `axis` has the wrong dtype or type.
        ShapeError: if `axis` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.expand_dims(ps.zeros((2, 3)), axis=-1).shape
    (2, 3, 1)
    """
    if _more or _slips:
        refuse(expand_dims, _more, _slips)
    x = tensor(x)
    rank = len(x.shape) + 1
    axis = whole("expand_dims: axis", axis)
    if not -rank <= axis < rank:
        raise _NoAxis(
            f"expand_dims: axis {axis} is outside -{rank} .. {rank - 1}.",
            why=f"The result of shape {x.shape} with one more axis has {rank} axes.",
            site=here(),
        )
    lengths = list(x.shape)
    lengths.insert(axis % rank, 1)
    return _shape.reshape.record((x,), {"shape": tuple(lengths)}, _frame(1))


class _NoAxis(ShapeError, IndexError):
    """A position that no axis can have."""


@answers
def squeeze(x: Any, /, axis: Axis = None, **_slips: Never) -> Tensor:
    """Returns x without the named axes, which must have length 1; without a name, without all such axes.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis or a sequence of them; None for all of length 1.

    Returns:
        A tensor with fewer axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.squeeze(ps.zeros((2, 1)), axis=1).shape
    (2,)
    """
    if _slips:
        refuse(squeeze, (), _slips)
    x = tensor(x)
    if axis is None:
        axes: tuple[int, ...] = tuple(i for i, n in enumerate(x.shape) if n == 1)
    else:
        axes = reduce.normalize_axes("squeeze", axis, x.shape)
    for one in axes:
        if x.shape[one] != 1:
            raise ShapeError(
                f"squeeze: axis {one} of shape {x.shape} has length {x.shape[one]}, not 1.",
                why="Only axes of length 1 can be removed.",
                remedy="Select one of its entries by an index, or reduce it.",
                site=here(),
            )
    return _shape.reshape.record((x,), {"shape": reduce.reduced(x.shape, axes, False)}, _frame(1))


def _listed(name: str, arrays: Any) -> list[Any]:
    try:
        return list(arrays)
    except TypeError:
        raise DTypeError(
            f"{name} was given {shown(arrays)}.",
            why="It takes a list or tuple of arrays.",
            remedy=f"Write {name}([a, b]).",
            site=here(),
        ) from None


@answers
def concat(arrays: Sequence[Any], /, *_more: Never, axis: int | None = 0, **_slips: Never) -> Tensor:
    """Returns the arrays joined along an axis; with `axis=None`, flattened first.

    Args:
        arrays: arrays or tensors that differ in length along the axis alone.
        axis: the axis to join along, an int; None flattens first.

    Returns:
        A tensor whose length along the axis is the sum of theirs.

    Raises:
        ShapeError: if `arrays` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `arrays` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.concat([ps.asarray([1.0]), ps.asarray([2.0, 3.0])])
    Tensor([1., 2., 3.], dtype=float32)
    """
    if _more or _slips:
        refuse(concat, _more, _slips)
    parts = [tensor(one) for one in _listed("concat", arrays)]
    frame = _frame(1)
    if not parts:
        raise ShapeError("concat was given no arrays.", remedy="Give at least one.", site=here())
    if axis is None:
        parts = [_shape.reshape.record((one,), {"shape": (one._spec.size,)}, frame) for one in parts]
        axis = 0
    (one_axis,) = reduce.normalize_axes("concat", axis, parts[0].shape)
    return _shape.concat.record(parts, {"axis": one_axis}, frame)


@answers
def stack(arrays: Sequence[Any], /, *_more: Never, axis: int = 0, **_slips: Never) -> Tensor:
    """Returns arrays of one shape joined along a new axis.

    Args:
        arrays: arrays or tensors of one shape.
        axis: the place of the new axis, an int.

    Returns:
        A tensor with one axis more, as long as the list.

    Raises:
        ShapeError: if `arrays` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `arrays` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.stack([ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0])]).shape
    (2, 2)
    """
    if _more or _slips:
        refuse(stack, _more, _slips)
    frame = _frame(1)
    given = [tensor(one) for one in _listed("stack", arrays)]
    if not given:
        raise ShapeError("stack was given no arrays.", remedy="Give at least one.", site=here())
    axis = whole_axis("stack", axis, len(given[0].shape) + 1)
    parts = []
    for position, one in enumerate(given, 1):
        if one.shape != given[0].shape:
            raise ShapeError(
                f"stack: part 1 has shape {given[0].shape}, part {position} has {one.shape}.",
                why="Arrays that are stacked along a new axis must have one shape.",
                remedy="Reshape them, or join them along an axis that they have: ps.concat(arrays, axis=0).",
                site=here(),
            )
        lengths = list(one.shape)
        lengths.insert(axis, 1)
        parts.append(_shape.reshape.record((one,), {"shape": tuple(lengths)}, frame))
    return _shape.concat.record(parts, {"axis": axis}, frame)


@answers
def unstack(x: Any, /, *_more: Never, axis: int = 0, **_slips: Never) -> tuple[Tensor, ...]:
    """Returns the slices of x along an axis, without that axis.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.

    Returns:
        A tuple of tensors with one axis less.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.unstack(ps.asarray([[1.0, 2.0], [3.0, 4.0]]))[1]
    Tensor([3., 4.], dtype=float32)
    """
    if _more or _slips:
        refuse(unstack, _more, _slips)
    x = tensor(x)
    frame = _frame(1)
    axis = whole_axis("unstack", axis, len(x.shape))
    final = {"shape": reduce.reduced(x.shape, (axis,), False)}
    return tuple(
        [
            _shape.reshape.record((_part(x, axis, i, i + 1, frame),), final, frame)
            for i in range(x.shape[axis])
        ]
    )


def _part(x: Any, axis: int, start: int, stop: int, frame: Any) -> Tensor:
    window = tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(x.shape))
    return _shape.slice_.record((x,), {"window": window}, frame)


@answers
def flip(x: Any, /, *_more: Never, axis: Axis = None, **_slips: Never) -> Tensor:
    """Returns x with the order of its elements reversed along all axes, or along those named.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        axis: an axis or a sequence of them; None for all.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.flip(ps.asarray([1.0, 2.0]))
    Tensor([2., 1.], dtype=float32)
    """
    if _more or _slips:
        refuse(flip, _more, _slips)
    x = tensor(x)
    return _shape.flip.record((x,), {"axes": reduce.normalize_axes("flip", axis, x.shape)}, _frame(1))


@answers
def roll(
    x: Any, /, shift: int | tuple[int, ...], *_more: Never, axis: Axis = None, **_slips: Never
) -> Tensor:
    """Returns x with its elements shifted along axes; elements shifted past the end reappear at the start.

    Without an axis, x is rolled as if it were flat. An axis named twice is rolled twice.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        shift: how far, an int, or one for each axis.
        axis: an axis or a sequence of them; None for the flattened array.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `shift` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.roll(ps.asarray([1.0, 2.0, 3.0]), 1)
    Tensor([3., 1., 2.], dtype=float32)
    """
    if _more or _slips:
        refuse(roll, _more, _slips)
    x = tensor(x)
    frame = _frame(1)
    amounts = wholes("roll: shift", shift)
    if axis is None:
        if not isinstance(shift, int | np.integer):
            raise ArgumentError(
                f"roll: {len(amounts)} shifts were given, but no axes.",
                remedy="Give an axis for each.",
                site=here(),
            )
        flat = _shape.reshape.record((x,), {"shape": (x._spec.size,)}, frame)
        return _shape.reshape.record((_rolled(flat, shift, 0, frame),), {"shape": x.shape}, frame)
    axes = wholes("roll: axis", axis)
    shifts = amounts * len(axes) if isinstance(shift, int | np.integer) else amounts
    if len(shifts) != len(axes):
        raise ArgumentError(
            f"roll: {len(shifts)} shifts were given for {len(axes)} axes.",
            remedy="Give one for each.",
            site=here(),
        )
    result = x
    for one, by in zip(axes, shifts, strict=True):
        result = _rolled(result, by, whole_axis("roll", one, len(x.shape)), frame)
    if isinstance(result, Cell):
        return read(result)
    return result  # type: ignore[no-any-return]


def _rolled(x: Any, by: int, axis: int, frame: Any) -> Any:
    length = x.shape[axis]
    start = -by % length if length else 0
    if not start:
        return x
    parts = (_part(x, axis, start, length, frame), _part(x, axis, 0, start, frame))
    return _shape.concat.record(parts, {"axis": axis}, frame)


def tile(x: Any, repetitions: tuple[int, ...], /) -> Tensor:
    """Returns copies of x side by side: `repetitions` of them along each axis, counted from the last.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        repetitions: copies along each axis: an int or a sequence of ints.

    Returns:
        A tensor of the same dtype, longer along each axis.

    Raises:
        DTypeError: if `x` or `repetitions` has the wrong dtype or type.
        ShapeError: if `repetitions` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.tile(ps.asarray([1.0, 2.0]), (2,))
    Tensor([1., 2., 1., 2.], dtype=float32)
    """
    x = tensor(x)
    frame = _frame(1)
    times = lengths_of(repetitions)
    rank = max(len(times), len(x.shape))
    times = (1,) * (rank - len(times)) + times
    lengths = (1,) * (rank - len(x.shape)) + x.shape
    pairs = [pair for n, m in zip(times, lengths, strict=True) for pair in (n, m)]
    spread = [pair for m in lengths for pair in (1, m)]
    many = _shape.reshape.record((x,), {"shape": tuple(spread)}, frame)
    many = _shape.broadcast_to.record((many,), {"shape": tuple(pairs)}, frame)
    final = tuple([n * m for n, m in zip(times, lengths, strict=True)])
    return _shape.reshape.record((many,), {"shape": final}, frame)


@answers
def repeat(x: Any, repeats: Any, /, *_more: Never, axis: int | None = None, **_slips: Never) -> Any:
    """Returns x with each element, or each slice along an axis, repeated in place.

    `repeats` is a number, or one for each slice; a tensor's values are read, because they decide the shape.

    A step (from `ps.step`) or a function is not an array: `repeat(step, times)` is a function that calls it
    `times` times, in one executable.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        repeats: how often, an int or a vector of ints.
        axis: the axis, an int; None for the flattened array.

    Returns:
        A tensor of the same dtype, longer along the axis.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.
        ArgumentError: if `repeats` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.repeat(ps.asarray([1.0, 2.0]), 2)
    Tensor([1., 1., 2., 2.], dtype=float32)
    """
    if _more or _slips:
        refuse(repeat, _more, _slips)
    if callable(x) and axis is None:
        return engine.repeat(x, repeats)
    x = tensor(x)
    frame = _frame(1)
    if axis is None:
        x = _shape.reshape.record((x,), {"shape": (x._spec.size,)}, frame)
        axis = 0
    axis = whole_axis("repeat", axis, len(x.shape))
    if isinstance(repeats, Tensor | Cell):
        repeats = value_of(read(repeats) if isinstance(repeats, Cell) else repeats, "repeat()", frame)
    counts = np.asarray(repeats)
    length = x.shape[axis]
    if (
        counts.dtype.kind not in "iu"
        or counts.ndim > 1
        or counts.size not in (1, length)
        or (counts < 0).any()
    ):
        raise ArgumentError(
            f"repeat: {_short(counts)} does not say how often to repeat each of {length} slices.",
            why="Give one non-negative whole number, or one for each slice.",
            site=here(),
        )
    if counts.size == 1 and length:
        # The same for each: no positions are needed.
        (count,) = counts.reshape(-1).tolist()
        lengths = (*x.shape[: axis + 1], 1, *x.shape[axis + 1 :])
        many = _shape.reshape.record((x,), {"shape": lengths}, frame)
        lengths = (*x.shape[: axis + 1], count, *x.shape[axis + 1 :])
        many = _shape.broadcast_to.record((many,), {"shape": lengths}, frame)
        lengths = (*x.shape[:axis], length * count, *x.shape[axis + 1 :])
        return _shape.reshape.record((many,), {"shape": lengths}, frame)
    places = np.repeat(np.arange(operator.index(length)), counts.astype(np.int64))
    return index.take.record((x, concrete(places)), {"axis": axis}, frame)


def _short(array: Any) -> str:
    text = repr(array.tolist())
    return text if len(text) <= 60 else text[:57] + "..."


@answers
def take(x: Any, indices: Any, /, *_more: Never, axis: int | None = None, **_slips: Never) -> Tensor:
    """Returns the slices of x at `indices` along an axis. Its gradient is `Rows`.

    A negative index counts from the end. One out of range raises RangeError when the value is computed, and
    changes no variable.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        indices: integers of any shape; negative ones count from the end.
        axis: the axis to take along; None is right for a vector only.

    Returns:
        A tensor in which the axes of `indices` replace `axis`.

    Raises:
        RangeError: if an index is out of range.
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.take(ps.asarray([1.0, 2.0, 3.0]), ps.asarray([2, 0, -1]))
    Tensor([3., 1., 3.], dtype=float32)
    """
    if _more or _slips:
        refuse(take, _more, _slips)
    x = tensor(x)
    if axis is None and len(x.shape) != 1:
        raise ShapeError(
            f"take needs an axis for a value of shape {x.shape}.",
            remedy="Name it, for example take(x, indices, axis=0).",
            site=here(),
        )
    (one,) = reduce.normalize_axes("take", 0 if axis is None else axis, x.shape)
    frame = _frame(1)
    return index.take.record((x, wrapped(indices, x.shape[one], one, frame)), {"axis": one}, frame)


def wrapped(indices: Any, length: int, axis: int, frame: Any) -> Any:
    """Returns indices of an axis with negative ones counted from its end."""
    indices = tensor(indices)
    if indices._spec.dtype.kind != "i":
        return indices
    return gather.wrap_index.record((indices,), {"length": length, "axis": axis}, frame)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Tensor:
    """Returns, for each position of `indices`, the element of x at that index along an axis.

    All other axes broadcast. A negative index counts from the end.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        indices: integers of any shape; negative ones count from the end.
        axis: the axis, an int; a negative one counts from the end.

    Returns:
        A tensor of the shape to which `indices` broadcasts.

    Raises:
        ShapeError: if `x`, `indices` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `indices` or `axis` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> x = ps.asarray([[3.0, 1.0, 2.0]])
    >>> ps.take_along_axis(x, ps.argsort(x))
    Tensor([[1., 2., 3.]], dtype=float32)
    """
    x, indices = tensor(x), tensor(indices)
    frame = _frame(1)
    if len(x.shape) != len(indices.shape):
        raise ShapeError(
            f"take_along_axis: indices of shape {indices.shape} do not fit {x.shape}.",
            why="Both must have the same number of axes.",
            site=here(),
        )
    axis = whole_axis("take_along_axis", axis, len(x.shape))
    indices = wrapped(indices, x.shape[axis], axis, frame)
    lengths = [(*one.shape[:axis], 1, *one.shape[axis + 1 :]) for one in (x, indices)]
    common = broadcast_shapes("take_along_axis", *lengths)
    spread = []
    for one in (x, indices):
        final = (*common[:axis], one.shape[axis], *common[axis + 1 :])
        spread.append(
            one if final == one.shape else _shape.broadcast_to.record((one,), {"shape": final}, frame)
        )
    return gather.take_along_axis.record(spread, {"axis": axis}, frame)


__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "matrix_transpose", "moveaxis",
    "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "take", "take_along_axis", "tile",
    "unstack",
]  # fmt: skip
