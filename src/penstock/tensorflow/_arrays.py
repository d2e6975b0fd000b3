"""Making, arranging, selecting and choosing under TensorFlow's names."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.scratch import shown_shape
from penstock.ops import complex_parts, index, pointwise, reduce
from penstock.ops import shape as arrange
from penstock.ops.promotion import kind_of
from penstock.ops.table import common_shape
from penstock.tensorflow._batch_gather import batch_gather, batch_gather_nd
from penstock.tensorflow._convert import (
    as_array,
    axis_of,
    integers,
    lengths_of,
    operand,
    packed,
    record,
    same_dtype,
    tensor_of,
)
from penstock.tensorflow._dtype import c_name, numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._modes import inside
from penstock.tensorflow._operators import masked
from penstock.tensorflow._strings import StringTensor, is_text, strings, takes_words
from penstock.tensorflow._tape import IndexedSlices, by_row
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.tensorflow._tensor_shape import brackets, shape_of
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.fast_path import find
from penstock.trace.lengths import array as length_array
from penstock.trace.lengths import count, is_symbolic, whole
from penstock.trace.source_site import here
from penstock.trace.structure import mapped
from penstock.trace.tensor import Cell, Tensor, concrete, held

_frame = sys._getframe


# -- making ---------------------------------------------------------------------------------------------


def _filled(lengths: tuple[int, ...], value: Any, dtype: np.dtype[Any]) -> EagerTensor:
    if is_symbolic(lengths):
        return record(arrange.broadcast_to, (tensor_of(value, dtype),), {"shape": lengths}, _frame(2))
    array = np.full(lengths, value, dtype)
    array.flags.writeable = False
    return concrete(array, EagerTensor)  # type: ignore[return-value]


@named("tf.zeros")
def zeros(shape: Any, dtype: Any = np.float32, name: Any = None) -> EagerTensor:
    """Returns a tensor of zeros.

    >>> from penstock import tensorflow as tf
    >>> print(tf.zeros([2]))
    tf.Tensor([0. 0.], shape=(2,), dtype=float32)
    """
    return _filled(lengths_of(shape), 0, numpy_dtype(dtype))


@named("tf.ones")
def ones(shape: Any, dtype: Any = np.float32, name: Any = None) -> EagerTensor:
    """Returns a tensor of ones."""
    return _filled(lengths_of(shape), 1, numpy_dtype(dtype))


@named("tf.zeros_like", "tf.keras.backend.zeros_like")
def zeros_like(input: Any, dtype: Any = None, name: Any = None) -> EagerTensor:
    """Returns zeros of the shape of the operand, and of its dtype unless `dtype` is given."""
    return _like(input, dtype, 0)


@named("tf.ones_like", "tf.keras.backend.ones_like")
def ones_like(input: Any, dtype: Any = None, name: Any = None) -> EagerTensor:
    """Returns ones of the shape of the operand, and of its dtype unless `dtype` is given."""
    return _like(input, dtype, 1)


def _like(x: Any, dtype: Any, value: int) -> EagerTensor:
    spec = operand(x)._spec
    return _filled(spec.shape, value, spec.dtype if dtype is None else numpy_dtype(dtype))


@named("tf.fill")
def fill(dims: Any, value: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor of a shape in which every element is the same."""
    lengths = lengths_of(dims)
    if isinstance(value, Tensor | Cell):
        return record(arrange.broadcast_to, (value,), {"shape": lengths}, _frame(1))
    if is_text(value):
        words = np.empty(lengths, object)
        words[...] = strings(value).numpy()
        return StringTensor(words)  # type: ignore[return-value]
    array = as_array(value)
    return _filled(lengths, array.reshape(()), array.dtype)


@named("tf.range")
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = "range"
) -> EagerTensor:
    """Returns evenly spaced values from `start` up to, not including, `limit`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.range(3), tf.range(0.0, 1.0, 0.5))
    tf.Tensor([0 1 2], shape=(3,), dtype=int32) tf.Tensor([0.  0.5], shape=(2,), dtype=float32)
    """
    if limit is None:
        start, limit = 0, start
    given = [_length(one) for one in (start, limit, delta)]
    if is_symbolic(given):
        return _open_range(given, np.dtype(np.int32) if dtype is None else numpy_dtype(dtype), _frame(1))
    ends = [as_array(one) for one in given]
    wanted = np.result_type(*ends) if dtype is None else numpy_dtype(dtype)
    if wanted.kind == "f" and dtype is None and not any(one.dtype == np.float64 for one in ends):
        wanted = np.dtype(np.float32)
    first, last, step = (one.item() for one in ends)
    if step == 0:
        raise InvalidArgumentError(f"Requires delta != 0: {step}", site=here())
    if (last - first) * step < 0:
        if inside.depth and inside.other_sides().turns_a_loop(_frame(1)):
            # A loop over it does not compute it, and does not turn.
            return tensor_of(np.zeros(0, wanted))
        sign = "start <= limit when delta > 0" if step > 0 else "start >= limit when delta < 0"
        raise InvalidArgumentError(f"Requires {sign}: {first}/{last}", site=here())
    return tensor_of(np.arange(first, last, step).astype(wanted))


def _length(one: Any) -> Any:
    """Returns the length that a tensor holds, or any other argument unchanged."""
    found = np.asarray(one) if isinstance(one, Tensor | Cell) else one
    if not isinstance(found, np.ndarray) or found.dtype != object:
        return found
    length = found.item()
    # A known length is a number again: it comes from a shape whose other lengths are not known.
    return length if is_symbolic(length) or found is one else np.asarray(length, one._spec.dtype)


def _open_range(given: Sequence[Any], dtype: Any, frame: Any) -> EagerTensor:
    """Does what `range` does where a length is not known."""
    first, last, step = (one if is_symbolic(one) else np.asarray(one).item() for one in given)
    params = {"start": first, "step": step, "length": count(first, last, step), "dtype": dtype}
    return record(index.arange, (), params, frame)


@named("tf.linspace", "tf.compat.v1.lin_space")
def linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: int = 0) -> EagerTensor:
    """Returns `num` evenly spaced values from `start` to `stop`, both included."""
    ends = [operand(one) for one in (start, stop)]
    if any(isinstance(one, Tensor | Cell) for one in (start, stop)) and ends[0]._spec.dtype.kind == "f":
        return _spaced(ends[0], ends[1], int(num), axis)
    first, last = (np.asarray(operand(one)) for one in (start, stop))
    dtype = first.dtype if first.dtype.kind == "f" else np.dtype(np.float64)
    return tensor_of(np.linspace(first, last, int(num), axis=axis).astype(dtype))


def _spaced(first: Any, last: Any, count: int, axis: int) -> EagerTensor:
    """Does what `linspace` does for tensors, through which a gradient goes."""
    lengths = np.broadcast_shapes(first._spec.shape, last._spec.shape)
    first, last = (expand_dims(broadcast_to(one, lengths), axis) for one in (first, last))
    if count < 3:
        return concat([first, last][:count], axis)
    along = [1] * (len(lengths) + 1)
    along[axis] = -1
    inner = np.arange(1, count - 1).astype(first._spec.dtype).reshape(along)
    return concat([first, first + (last - first) / float(count - 1) * inner, last], axis)


@named("tf.eye", "tf.linalg.eye")
def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = np.float32, name: Any = None
) -> EagerTensor:
    """Returns a matrix with ones on the diagonal and zeros elsewhere."""
    given: Any = [one if one is None else whole(one) for one in (num_rows, num_columns)]
    if is_symbolic(given):
        found = spoken(native.eye(*given, dtype=numpy_dtype(dtype)))
        batch = () if batch_shape is None else lengths_of(batch_shape)
        return record(arrange.broadcast_to, (found,), {"shape": (*batch, *found._spec.shape)}, _frame(1))
    matrix = np.eye(
        int(num_rows), None if num_columns is None else int(num_columns), dtype=numpy_dtype(dtype)
    )
    if batch_shape is not None:
        matrix = np.broadcast_to(matrix, (*lengths_of(batch_shape), *matrix.shape))
    return tensor_of(matrix)


@named("tf.one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: Any = None,
) -> EagerTensor:
    """Returns, for each index, a row of `off_value` (0) with `on_value` (1) at the index.

    >>> from penstock import tensorflow as tf
    >>> print(tf.one_hot([1], 3))
    tf.Tensor([[0. 1. 0.]], shape=(1, 3), dtype=float32)
    """
    if is_text(on_value):
        # Words: where a row of truths says so, this one, elsewhere the other.
        truths = one_hot(indices, depth, True, False, axis)
        words = np.where(np.asarray(truths.numpy()), on_value, off_value).astype(object)
        return strings(words)  # type: ignore[return-value]
    frame = _frame(1)
    indices = integers(indices, "TI", "uint8, int8, int32, int64")
    given = [one for one in (on_value, off_value) if one is not None]
    wanted = (
        numpy_dtype(dtype)
        if dtype is not None
        else as_array(given[0]).dtype
        if given
        else np.dtype(np.float32)
    )
    params = {"length": whole(depth), "dtype": wanted}
    hot = record(index.one_hot, (indices,), params, frame)
    if given:
        on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
        truths = record(pointwise.not_equal, (hot, 0), {}, frame)
        # TensorFlow has no gradient of OneHot, not for these two values either.
        values = [record(pointwise.stop_gradient, (tensor_of(one, wanted),), {}, frame) for one in (on, off)]
        hot = record(pointwise.where, (truths, *values), {}, frame)
    rank = len(hot._spec.shape)
    if axis is None or axis in (-1, rank - 1):
        return hot
    order = [*_counting(rank - 1)]
    order.insert(axis, rank - 1)
    return record(arrange.transpose, (hot,), {"axes": tuple(order)}, frame)


def _counting(count: int) -> Sequence[int]:
    return tuple(np.arange(count).tolist())


# -- looking at shapes ----------------------------------------------------------------------------------


@named("tf.shape", "tf.keras.backend.shape")
def shape(input: Any, out_type: Any = np.int32, name: Any = None) -> EagerTensor:
    """Returns the length of each axis, as a tensor."""
    if getattr(input, "_is_sparse", False):
        return tensor_of(np.asarray(input.dense_shape.numpy(), numpy_dtype(out_type)))
    return _lengths(operand(input)._spec.shape, numpy_dtype(out_type))


@named("tf.size")
@takes_words
def size(input: Any, out_type: Any = np.int32, name: Any = None) -> EagerTensor:
    """Returns the number of elements, as a tensor."""
    return _lengths(operand(input)._spec.size, numpy_dtype(out_type))


def _lengths(found: Any, dtype: Any) -> EagerTensor:
    return held(length_array(found, dtype), dtype, EagerTensor)  # type: ignore[return-value]


@named("tf.rank")
@takes_words
def rank(input: Any, name: Any = None) -> EagerTensor:
    """Returns the number of axes, as a tensor."""
    return tensor_of(np.asarray(operand(input)._spec.ndim, np.int32))


# -- arranging ------------------------------------------------------------------------------------------


@named("tf.identity")
def identity(input: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor of the same value."""
    if hasattr(input, "_type_spec"):
        return mapped(input, identity)  # type: ignore[no-any-return]
    if getattr(input, "_is_sparse", False):
        return type(input)(input.indices, input.values, input.dense_shape)  # type: ignore[no-any-return]
    return tensor_of(input)


@named("tf.stop_gradient", "tf.keras.backend.stop_gradient")
def stop_gradient(input: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor of the same value, through which no gradient passes.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> print(tape.gradient(y, x))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """
    found: Any = find(pointwise.stop_gradient.code, input)
    if found is not None:
        return found  # type: ignore[no-any-return]
    return record(pointwise.stop_gradient, (operand(input),), {}, _frame(1))


@named("tf.reshape", "tf.keras.backend.reshape")
def reshape(tensor: Any, shape: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor in another shape of as many elements; one length may be -1."""
    frame = _frame(1)
    x = operand(tensor)
    total, lengths = x._spec.size, list(lengths_of(shape))
    unknown = [place for place, length in enumerate(lengths) if length == -1]
    rest = math.prod(length for length in lengths if length != -1)
    if len(unknown) > 1:
        raise InvalidArgumentError(
            f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}", site=here()
        )
    if unknown and (total % rest if rest else total):
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {total} values, but the requested shape requires a "
            f"multiple of {rest}",
            site=here(),
        )
    if unknown:
        lengths[unknown[0]] = total // rest if rest else 0
    elif rest != total:
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {total} values, but the requested shape has {rest}",
            why=f"Its shape is {x.shape}, the one asked for {tuple(lengths)}.",
            remedy="Set one length to -1 to have it computed.",
            site=here(),
        )
    return record(arrange.reshape, (x,), {"shape": tuple(lengths)}, frame)


@named("tf.transpose")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: Any = "transpose") -> EagerTensor:
    """Returns a tensor with its axes in another order, reversed if none is given, conjugated on request."""
    x = operand(a)
    if conjugate and x._spec.dtype.kind == "c":
        x = record(complex_parts.conj, (x,), {}, _frame(1))
    count = len(x._spec.shape)
    order = _counting(count)[::-1] if perm is None else lengths_of(perm)
    if len(order) != count:
        raise InvalidArgumentError(
            f"transpose expects a vector of size {count}. But input(1) is a vector of size {len(order)}",
            site=here(),
        )
    order = tuple(axis + count if axis < 0 else axis for axis in order)
    missing = [axis for axis in _counting(count) if axis not in order]
    if missing:
        listed = ",".join(map(str, order))
        raise InvalidArgumentError(f"{missing[0]} is missing from {{{listed}}}.", site=here())
    return record(arrange.transpose, (x,), {"axes": order}, _frame(1))


@named("tf.expand_dims")
@takes_words
def expand_dims(input: Any, axis: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with a new axis of length 1 at a position."""
    x = operand(input)
    count = len(x._spec.shape)
    place = axis if type(axis) is int else axis_of(axis)
    if not -count - 1 <= place <= count:
        raise InvalidArgumentError(
            f"Tried to expand dim index {place} for tensor with {count} dimensions.", site=here()
        )
    lengths = list(x._spec.shape)
    lengths.insert(place % (count + 1), 1)
    return record(arrange.reshape, (x,), {"shape": tuple(lengths)}, _frame(1))


@named("tf.squeeze")
def squeeze(input: Any, axis: Any = None, name: Any = None) -> EagerTensor:
    """Returns a tensor without the named axes, which must have length 1, or without all such axes."""
    x = operand(input)
    lengths = x._spec.shape
    count = len(lengths)
    if axis is None or (isinstance(axis, list | tuple) and not axis):
        axes = [place for place, length in enumerate(lengths) if length == 1]
    else:
        axes = [
            int(one) % count if count else int(one)
            for one in (axis if isinstance(axis, list | tuple) else (axis,))
        ]
    for one in axes:
        if not 0 <= one < count or lengths[one] != 1:
            length = lengths[one] if 0 <= one < count else 0
            raise InvalidArgumentError(
                f"Can not squeeze dim[{one}], expected a dimension of 1, got {length}", site=here()
            )
    left = tuple(length for place, length in enumerate(lengths) if place not in axes)
    return record(arrange.reshape, (x,), {"shape": left}, _frame(1))


@named("tf.concat")
@takes_words
def concat(values: Any, axis: Any, name: Any = "concat") -> EagerTensor:
    """Returns tensors joined along an axis."""
    frame = _frame(1)
    if isinstance(values, Tensor | Cell):
        return tensor_of(values)
    if not values:
        raise InvalidArgumentError("tf.concat was given no tensors.", site=here())
    parts = same_dtype(values, "ConcatV2")
    count = len(parts[0]._spec.shape)
    place = axis if type(axis) is int else axis_of(axis)
    if not -count <= place < count:
        raise InvalidArgumentError(
            f"ConcatOp : Expected concatenating dimensions in the range [{-count}, {count}), but got {place}",
            site=here(),
        )
    return record(arrange.concat, parts, {"axis": place % count}, frame)


@named("tf.stack", "tf.keras.backend.stack")
@takes_words
def stack(values: Any, axis: int = 0, name: Any = "stack") -> EagerTensor:
    """Returns tensors of one shape joined along a new axis."""
    if isinstance(values, Tensor | Cell):
        values = unstack(values)
    if not values:
        return tensor_of([])
    count = len(operand(values[0])._spec.shape) + 1
    return packed(values, None, _place(axis, count))


@named("tf.unstack")
def unstack(value: Any, num: int | None = None, axis: int = 0, name: Any = "unstack") -> list[EagerTensor]:
    """Returns the slices of a tensor along an axis, as a list."""
    frame = _frame(1)
    x = operand(value)
    lengths = x._spec.shape
    place = _place(axis, len(lengths))
    if num is not None and num != lengths[place]:
        raise InvalidArgumentError(
            f"Input shape axis {place} must equal {num}, got shape {brackets(lengths)}", site=here()
        )
    if num is None:
        num = lengths[place]
    if is_symbolic(num):
        raise ArgumentError(
            f"Cannot infer argument `num` from shape {shown_shape(lengths)}",
            why=f"It is the number of tensors to return, and the length of axis {place} is not known.",
            remedy="Say how many: tf.unstack(x, num=...).",
            site=here(),
        )
    left = lengths[:place] + lengths[place + 1 :]
    return [
        record(arrange.reshape, (_cut(x, place, i, i + 1, frame),), {"shape": left}, frame)
        for i in _counting(num)
    ]


def _place(axis: Any, count: int) -> int:
    place = int(axis)
    if not -count <= place < count:
        raise ArgumentError(f"Argument `axis` = {place} not in range [{-count}, {count})", site=here())
    return place % count


def _cut(x: Any, axis: int, start: int, stop: int, frame: FrameType) -> EagerTensor:
    window = tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(x._spec.shape))
    return record(arrange.slice_, (x,), {"window": window}, frame)


@named("tf.split")
def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: Any = "split"
) -> list[EagerTensor]:
    """Returns the parts of a tensor along an axis: a number of equal parts, or of the given lengths.

    `num` does nothing: the number of parts follows from the lengths.
    """
    frame = _frame(1)
    x = operand(value)
    place = _place(axis, len(x._spec.shape))
    length = x._spec.shape[place]
    if isinstance(num_or_size_splits, int | np.integer):
        count = int(num_or_size_splits)
        if count < 1 or length % count:
            raise InvalidArgumentError(
                "Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{place} (size = {length}) and num_split {count}",
                site=here(),
            )
        lengths = [length // count] * count
    else:
        lengths = list(lengths_of(num_or_size_splits))
        if -1 in lengths:
            lengths[lengths.index(-1)] = length - sum(one for one in lengths if one != -1)
        if sum(lengths) != length:
            raise InvalidArgumentError(
                "Determined shape must either match input shape along split_dim exactly if fully "
                "specified, or be "
                "less than the size of the input along split_dim if not fully specified.  Got: "
                f"{sum(lengths)}",
                site=here(),
            )
    ends = itertools.accumulate(lengths)
    return [_cut(x, place, end - one, end, frame) for one, end in zip(lengths, ends, strict=True)]


@named("tf.tile", "tf.keras.backend.tile")
@takes_words
def tile(input: Any, multiples: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor repeated along each axis."""
    frame = _frame(1)
    x = operand(input)
    lengths, times = x._spec.shape, lengths_of(multiples)
    if len(times) != len(lengths):
        raise InvalidArgumentError(
            f"Expected multiples argument to be a vector of length {len(lengths)} but got length "
            f"{len(times)}",
            site=here(),
        )
    apart = tuple(one for length in lengths for one in (1, length))
    spread = tuple(one for pair in zip(times, lengths, strict=True) for one in pair)
    final = tuple(a * b for a, b in zip(times, lengths, strict=True))
    x = record(arrange.reshape, (x,), {"shape": apart}, frame)
    x = record(arrange.broadcast_to, (x,), {"shape": spread}, frame)
    return record(arrange.reshape, (x,), {"shape": final}, frame)


@named("tf.broadcast_to")
def broadcast_to(input: Any, shape: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor repeated along new axes, and along axes of length 1, to a shape."""
    return record(arrange.broadcast_to, (operand(input),), {"shape": lengths_of(shape)}, _frame(1))


@named("tf.pad")
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: Any = None
) -> EagerTensor:
    """Returns a tensor with `constant_values` before and after each axis, as many as `paddings` says.

    With the mode "REFLECT", the elements next to the end come again in the opposite order; with "SYMMETRIC",
    those from the end on.
    """
    frame = _frame(1)
    x = operand(tensor)
    amounts = np.asarray(operand(paddings)).tolist()
    if mode.upper() != "CONSTANT":
        return _mirrored(x, amounts, mode)
    lengths = tuple(n + before + after for n, (before, after) in zip(x._spec.shape, amounts, strict=True))
    window = tuple((before, before + n, 1) for n, (before, _) in zip(x._spec.shape, amounts, strict=True))
    padded = record(arrange.unslice, (x,), {"shape": lengths, "window": window}, frame)
    if not isinstance(constant_values, Tensor | Cell) and constant_values == 0:
        return padded
    there = record(arrange.broadcast_to, (tensor_of(True),), {"shape": x._spec.shape}, frame)
    placed = record(arrange.unslice, (there,), {"shape": lengths, "window": window}, frame)
    return record(pointwise.where, (placed, padded, operand(constant_values, x._spec.dtype)), {}, frame)


def _mirrored(x: Any, amounts: list[list[int]], mode: str) -> EagerTensor:
    """Returns a tensor whose axes are padded with a reflection at their ends."""
    if mode.upper() not in ("REFLECT", "SYMMETRIC"):
        raise ArgumentError(
            f"Unknown padding mode: {mode!r}; use CONSTANT, REFLECT or SYMMETRIC.", site=here()
        )
    kept = 1 if mode.upper() == "REFLECT" else 0
    x = with_dense_gradient(x)
    for axis, (before, after) in enumerate(amounts):
        length = x._spec.shape[axis]
        if max(before, after) > length - kept:
            raise InvalidArgumentError(
                f"paddings must be no greater than the dimension size{' less 1' if kept else ''}: {before}, "
                f"{after} greater than {length - kept}",
                site=here(),
            )
        if before or after:
            numbers = np.pad(np.arange(length), (before, after), "reflect" if kept else "symmetric")
            x = gather(x, numbers.astype(np.int32), axis=axis)
    return tensor_of(x)


@named("tf.reverse", "tf.compat.v1.reverse_v2")
@takes_words
def reverse(tensor: Any, axis: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor with the order along some axes reversed."""
    x = operand(tensor)
    axes = tuple(sorted(_place(one, len(x._spec.shape)) for one in lengths_of(axis)))
    return record(arrange.flip, (x,), {"axes": axes}, _frame(1))


@named("tf.slice")
def slice(input_: Any, begin: Any, size: Any, name: Any = None) -> EagerTensor:
    """Returns the block of a tensor that starts at `begin` and has the lengths `size`; -1 means the rest."""
    x = operand(input_)
    window = []
    for axis, (start, amount, length) in enumerate(
        zip(lengths_of(begin), lengths_of(size), x._spec.shape, strict=True)
    ):
        stop = length if amount == -1 else start + amount
        if not 0 <= start <= length or stop > length:
            raise InvalidArgumentError(
                f"Expected size[{axis}] in [0, {length - start}], but got {amount}", site=here()
            )
        window.append((start, stop, 1))
    return record(arrange.slice_, (x,), {"window": tuple(window)}, _frame(1))


# -- selecting ------------------------------------------------------------------------------------------


@named("tf.gather", "tf.keras.backend.gather")
@takes_words
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: Any = None,
) -> EagerTensor:
    """Returns the slices of a tensor at `indices` along an axis, the first one if none is named.

    With `batch_dims`, each row of that many first axes has its own indices. Its gradient by a variable is a
    `tf.IndexedSlices`. An index out of range raises `tf.errors.InvalidArgumentError` when the value is
    computed, and changes no variable.

    >>> from penstock import tensorflow as tf
    >>> print(tf.gather([1.0, 2.0, 3.0], [2, 0]))
    tf.Tensor([3. 1.], shape=(2,), dtype=float32)
    """
    if batch_dims:
        return batch_gather(params, indices, axis, int(batch_dims))
    x, indices = operand(params), integers(indices, "Tindices", "int16, int32, int64")
    return record(
        index.take, (x, indices), {"axis": _place(0 if axis is None else axis, len(x._spec.shape))}, _frame(1)
    )


def with_dense_gradient(x: Any) -> EagerTensor:
    """Returns a tensor through which a gradient is dense, also where rows of it are taken."""
    return record(pointwise.identity, (operand(x),), {}, _frame(1))


@named("tf.gather_nd")
@takes_words
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: Any = None) -> EagerTensor:
    """Returns the slices of a tensor at `indices`, whose last axis names a place in its first axes.

    With `batch_dims`, each row of that many first axes has its own indices, and they name places in its
    other axes.

    >>> from penstock import tensorflow as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
    [2, 3]
    """
    frame = _frame(1)
    if batch_dims:
        return batch_gather_nd(params, indices, int(batch_dims))
    x, indices = operand(params), integers(indices, "Tindices", "int16, int32, int64")
    depth = indices._spec.shape[-1]
    if depth == 1 and len(indices._spec.shape) == 2:
        # As of `gather`, the gradient is one of rows.
        places = record(arrange.reshape, (indices,), {"shape": indices._spec.shape[:1]}, frame)
        return record(index.take, (x, places), {"axis": 0}, frame)
    outer, inner = x._spec.shape[:depth], x._spec.shape[depth:]
    strides = [math.prod(outer[i + 1 :]) for i in _counting(depth)]
    flat = record(arrange.reshape, (x,), {"shape": (math.prod(outer), *inner)}, frame)
    weights = tensor_of(np.asarray(strides, indices._spec.dtype))
    places = record(pointwise.multiply, (indices, weights), {}, frame)
    last = len(places._spec.shape) - 1
    places = record(reduce.sum, (places,), {"axes": (last,), "keepdims": False}, frame)
    return record(index.take, (flat, places), {"axis": 0}, frame)


def _slices_of(self: ResourceVariable, indices: Any, name: Any = None) -> EagerTensor:
    """Returns the slices at `indices`, whose last axis names a place in the variable's first axes."""
    return gather_nd(self, indices)


ResourceVariable.gather_nd = _slices_of  # type: ignore[attr-defined]


@named("tf.boolean_mask")
@takes_words
def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: Any = "boolean_mask") -> EagerTensor:
    """Returns the slices of a tensor at which a mask is true; reads the values of the mask.

    The axes of the mask are those of the tensor from `axis` on.

    >>> from penstock import tensorflow as tf
    >>> tf.boolean_mask([[1, 2, 3], [4, 5, 6]], [True, False, True], axis=1).numpy().tolist()
    [[1, 3], [4, 6]]
    """
    if axis:
        frame = _frame(1)
        x, chosen = operand(tensor), np.asarray(mask, np.bool_)
        shape = x._spec.shape
        first = int(axis) + (len(shape) if int(axis) < 0 else 0)
        last = first + chosen.ndim
        if tuple(shape[first:last]) != chosen.shape:
            raise ArgumentError(
                f"Shapes {shape_of(tuple(shape[first:last]))} and {shape_of(chosen.shape)} are incompatible",
                origin=f"the tensor has shape {shape_of(shape)}, and axis is {axis}",
                remedy="Give a mask of the lengths of the axes that it chooses from.",
                site=here(),
            )
        lengths = (*shape[:first], chosen.size, *shape[last:])
        flat = record(arrange.reshape, (x,), {"shape": lengths}, frame)
        places = tensor_of(np.flatnonzero(chosen))
        return record(index.take, (flat, places), {"axis": first}, frame)
    return masked(operand(tensor), operand(mask, np.dtype(np.bool_)), _frame(1))


@named("tf.where")
def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> EagerTensor:
    """Returns x where the condition holds and y elsewhere; all three broadcast.

    Without x and y, returns the positions at which the condition holds, which looks at it.

    >>> from penstock import tensorflow as tf
    >>> print(tf.where([True, False], [1.0, 2.0], 0.0))
    tf.Tensor([1. 0.], shape=(2,), dtype=float32)
    """
    frame = _frame(1)
    condition = operand(condition)
    if x is None and y is None:
        return tensor_of(np.argwhere(np.asarray(condition)).astype(np.int64))
    if x is None or y is None:
        raise ArgumentError("x and y must both be non-None or both be None.", site=here())
    if condition._spec.dtype != np.bool_:
        raise InvalidArgumentError(
            "cannot compute SelectV2 as input #0(zero-based) was expected to be a bool tensor but is a "
            f"{c_name(condition._spec.dtype)} tensor",
            remedy="Compare first: tf.where(x > 0, ...).",
            site=here(),
        )
    reference = next((one for one in (x, y) if isinstance(one, Tensor | Cell)), None)
    values = [
        one
        if type(one) in (int, float) and reference is not None and _takes(reference, one)
        else operand(
            one, None if isinstance(one, Tensor | Cell) or reference is None else reference._spec.dtype
        )
        for one in (x, y)
    ]
    if reference is None:
        values[1] = operand(y, values[0]._spec.dtype)
    return record(pointwise.where, (condition, *values), {}, frame)


def _takes(reference: Any, number: float) -> bool:
    return kind_of(reference._spec.dtype) in ("fc" if isinstance(number, float) else "fci")


@named("tf.clip_by_value")
@by_row
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Any:
    """Returns a tensor with every element brought between two values. On the border gradients pass.

    >>> from penstock import tensorflow as tf
    >>> print(tf.clip_by_value([-2.0, 0.5], -1.0, 1.0))
    tf.Tensor([-1.   0.5], shape=(2,), dtype=float32)
    """
    frame = _frame(1)
    if isinstance(t, IndexedSlices):
        values = clip_by_value(t.values, clip_value_min, clip_value_max)
        return t.with_values(values)
    x = operand(t)
    upper, lower = (
        one if type(one) in (int, float) and _takes(x, one) else operand(one, x._spec.dtype)
        for one in (clip_value_max, clip_value_min)
    )
    for end in (lower, upper):
        if isinstance(end, Tensor | Cell) and end._spec.shape not in ((), x._spec.shape):
            _fits_inside(x._spec.shape, end._spec.shape)
    # Where the ends are in the wrong order, TensorFlow gives the lower one.
    if isinstance(lower, Tensor | Cell) or isinstance(upper, Tensor | Cell):
        upper = record(pointwise.first_maximum, (upper, lower), {}, frame)
    else:
        upper = max(upper, lower)
    ends = (lower, upper)
    return record(pointwise.clip, (x, *ends), {}, frame)


def _fits_inside(own: tuple[int, ...], end: tuple[int, ...]) -> None:
    try:
        fits = common_shape(own, end) == own
    except ValueError:
        fits = False
    if not fits:
        raise InvalidArgumentError(f"Incompatible shapes: {brackets(own)} vs. {brackets(end)}", site=here())
