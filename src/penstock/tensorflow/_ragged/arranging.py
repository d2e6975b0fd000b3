"""Arranging and selecting rows: joining, stacking, repeating, turning round, gathering, masking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.tensorflow import _arrays
from penstock.tensorflow._convert import constant, lengths_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._ragged.dense import from_tensor
from penstock.tensorflow._ragged.partition import of_lengths, spans, uniform, whole_numbers
from penstock.tensorflow._ragged.tensor import (
    RaggedTensor,
    count_of,
    cut_again,
    made,
    partitions,
    picked,
    places_of,
    values_of,
)
from penstock.tensorflow._strings import StringTensor
from penstock.trace.source_site import here


def place_of(axis: Any, rank: int, what: str = "axis") -> int:
    """Returns an axis counted from the front; raises ArgumentError for one that is not there."""
    place = int(axis)
    if not -rank <= place < rank:
        raise ArgumentError(f"{what}={place} out of bounds: expected {-rank}<={what}<{rank}", site=here())
    return place % rank


# -- joining --------------------------------------------------------------------------------------------


def joined(values: Sequence[Any], axis: Any, stacking: bool) -> Any:
    """Returns tensors joined along an axis, or along a new one; ragged where their rows differ."""
    parts = [values_of(one) for one in values]
    if not parts:
        raise ArgumentError("rt_inputs may not be empty.", site=here())
    rank = len(parts[0].shape)
    if any(len(one.shape) != rank for one in parts):
        other = next(one.shape for one in parts if len(one.shape) != rank)
        raise ArgumentError(f"Shape {other} must have rank {rank}", site=here())
    place = place_of(axis, rank + 1 if stacking else rank)
    if not stacking and len(parts) == 1:
        return parts[0]
    if stacking and rank == 1 and place == 0:
        lengths = [count_of(one) for one in parts]
        return made(leaves.joined(parts), of_lengths(lengths))
    if all(leaves.is_dense(one) for one in parts) and (
        not rank or place == (rank if stacking else rank - 1) or place == rank - 1
    ):
        return dense_together(parts, place, stacking)
    return _together([_cut_once(one) for one in parts], place, stacking)


def dense_together(parts: list[Any], place: int, stacking: bool) -> Any:
    """Returns tensors of one shape joined along an axis, or along a new one."""
    if any(isinstance(one, StringTensor) for one in parts):
        arrays = [np.asarray(one) for one in parts]
        return StringTensor((np.stack if stacking else np.concatenate)(arrays, place))
    return _arrays.stack(parts, place) if stacking else _arrays.concat(parts, place)


def _cut_once(x: Any) -> Any:
    return x if isinstance(x, RaggedTensor) else from_tensor(x, None, None, 1, "int64")


def _deepened(x: Any, depth: int) -> RaggedTensor:
    """Returns a ragged tensor with this many axes cut into rows."""
    own = len(partitions(x))
    if own == depth:
        return x  # type: ignore[no-any-return]
    if own == 0:
        return from_tensor(x, None, None, depth, "int64")  # type: ignore[no-any-return]
    return made(_deepened(x.values, depth - 1), x._partition)


def _together(parts: list[Any], place: int, stacking: bool) -> Any:
    depth = max(len(partitions(one)) for one in parts)
    parts = [_deepened(one, depth) for one in parts]
    if place == 0:
        found = _rows_joined(parts)
        return made(found, of_lengths([count_of(one) for one in parts])) if stacking else found
    counts = {count_of(one) for one in parts}
    if len(counts) > 1:
        first = count_of(parts[0])
        other = next(n for n, one in enumerate(parts) if count_of(one) != first)
        raise InvalidArgumentError(
            f"Input tensors at index 0 (=x) and {other} (=y) have incompatible shapes.",
            origin=f"They have {[count_of(one) for one in parts]} rows.",
            site=here(),
        )
    if place == 1:
        return _side_by_side(parts, stacking)
    first = parts[0]._partition
    if any(not first.same(one._partition) for one in parts[1:]):
        raise InvalidArgumentError(
            "Inputs must have identical ragged splits",
            origin="; ".join(str(one._partition.splits.tolist()) for one in parts),
            site=here(),
        )
    inner = [one.values for one in parts]
    if all(leaves.is_dense(one) for one in inner):
        return made(dense_together(inner, place - 1, stacking), first)
    return made(joined(inner, place - 1, stacking), first)


def _rows_joined(parts: Sequence[Any]) -> Any:
    """Returns the rows of several, one after another."""
    if leaves.is_dense(parts[0]):
        return leaves.joined(parts)
    lengths = np.concatenate([one._partition.lengths for one in parts])
    inner = _rows_joined([one.values for one in parts])
    dtype = parts[0]._partition.dtype_
    length = parts[0]._partition.uniform
    if length is not None and all(one._partition.uniform == length for one in parts):
        return made(inner, uniform(length, len(lengths), dtype))
    return made(inner, of_lengths(lengths, dtype))


def _side_by_side(parts: list[Any], stacking: bool) -> Any:
    values = _rows_joined([one.values for one in parts])
    starts, lengths, before = [], [], 0
    for one in parts:
        starts.append(one._partition.starts + before)
        lengths.append(one._partition.lengths)
        before += one._partition.values
    places = spans(np.stack(starts, 1).ravel(), np.stack(lengths, 1).ravel())
    rows = picked(values, places)
    dtype = parts[0]._partition.dtype_
    if stacking:
        each = of_lengths(np.stack(lengths, 1).ravel(), dtype)
        return made(made(rows, each), uniform(len(parts), len(lengths[0]), dtype))
    return made(rows, of_lengths(sum(lengths), dtype))


# -- axes -----------------------------------------------------------------------------------------------


def expand_dims(x: Any, axis: Any) -> Any:
    """Returns a tensor with a new axis of length 1."""
    if not isinstance(x, RaggedTensor):
        place = place_of(axis, len(x.shape) + 1)
        shape = tuple(int(n) for n in x.shape)
        return leaves.arranged(x, (*shape[:place], 1, *shape[place:]))
    place = place_of(axis, len(x.shape) + 1)
    if place == 0:
        return made(x, uniform(count_of(x), 1))
    if place == 1:
        return made(x, uniform(1, count_of(x)))
    return made(expand_dims(x.values, place - 1), x._partition)


def squeeze(x: RaggedTensor, axis: Any) -> Any:
    """Returns a ragged tensor without axes of length 1, which have to be named."""
    if axis is None:
        raise ArgumentError(
            "Ragged.squeeze must have an axis argument.", remedy="Name the axes of length 1.", site=here()
        )
    rank = len(x.shape)
    axes = sorted(place_of(one, rank) for one in np.reshape(axis, -1))
    found: Any = x
    for one in reversed(axes):
        found = _without(found, one)
    return found


def _without(x: Any, place: int) -> Any:
    if not isinstance(x, RaggedTensor):
        shape = tuple(int(n) for n in x.shape)
        if shape[place] != 1:
            raise InvalidArgumentError(
                f"Can not squeeze dim[{place}], expected a dimension of 1, got {shape[place]}", site=here()
            )
        return leaves.arranged(x, (*shape[:place], *shape[place + 1 :]))
    own = x._partition
    if place == 0:
        if own.count != 1:
            raise InvalidArgumentError(
                f"Can not squeeze dim[0], expected a dimension of 1, got {own.count}", site=here()
            )
        return x.values
    if place == 1:
        if (own.lengths != 1).any():
            raise InvalidArgumentError(
                f"Can not squeeze dim[1], expected a dimension of 1, got rows of {own.lengths.tolist()}",
                site=here(),
            )
        return x.values
    return made(_without(x.values, place - 1), own)


def tile(x: RaggedTensor, multiples: Any) -> Any:
    """Returns a ragged tensor repeated along each axis."""
    times = lengths_of(multiples)
    if len(times) != len(x.shape):
        raise ArgumentError(
            f"Shape ({len(times)},) of multiples must be ({len(x.shape)},): one number for each axis.",
            site=here(),
        )
    return _repeated(_inside(x, times[1:]), times[0])


def _inside(x: Any, times: Sequence[int]) -> Any:
    """Returns the contents of each row of x repeated along its axes."""
    if not isinstance(x, RaggedTensor):
        if all(one == 1 for one in times):
            return x
        if isinstance(x, StringTensor):
            return StringTensor(np.tile(np.asarray(x), (1, *times)))
        return _arrays.tile(x, (1, *times))
    own, inner = x._partition, _inside(x.values, times[1:])
    if times[0] == 1:
        return made(inner, own)
    starts, lengths = np.repeat(own.starts, times[0]), np.repeat(own.lengths, times[0])
    rows = picked(inner, spans(starts, lengths))
    if own.uniform is not None:
        return made(rows, uniform(own.uniform * times[0], own.count, own.dtype_))
    return made(rows, of_lengths(own.lengths * times[0], own.dtype_))


def _repeated(x: Any, times: int) -> Any:
    return x if times == 1 else picked(x, np.tile(np.arange(count_of(x)), times))


def reverse(x: RaggedTensor, axis: Any) -> Any:
    """Returns a ragged tensor with the order along some axes reversed."""
    axes = sorted(place_of(one, len(x.shape)) for one in np.reshape(lengths_of(axis), -1))
    return _turned(x, axes)


def _turned(x: Any, axes: list[int]) -> Any:
    if not axes:
        return x
    if not isinstance(x, RaggedTensor):
        if isinstance(x, StringTensor):
            return StringTensor(np.flip(np.asarray(x), tuple(axes)))
        return _arrays.reverse(x, axes)
    own = x._partition
    inner = _turned(x.values, [one - 1 for one in axes if one > 1])
    if 1 in axes:
        column = spans(np.zeros(own.count), own.lengths)
        inner = picked(inner, np.repeat(own.splits[1:] - 1, own.lengths) - column)
    found = made(inner, own)
    return picked(found, np.arange(own.count)[::-1]) if 0 in axes else found


def split(x: Any, sizes: Any, axis: Any = 0, num: Any = None) -> list[Any]:
    """Returns the parts of a ragged tensor along an axis whose length is one number.

    `num` does nothing: the number of parts follows from the lengths.
    """
    place = place_of(axis, len(x.shape))
    length = x.shape[place]
    if length is None:
        raise ArgumentError(f"ragged dimension {place} cannot be split: its rows differ.", site=here())
    if isinstance(sizes, int | np.integer):
        if length % int(sizes):
            raise InvalidArgumentError(
                f"Cannot exactly split the ragged dimension into {int(sizes)} splits: it is {length} long.",
                site=here(),
            )
        lengths = [length // int(sizes)] * int(sizes)
    else:
        lengths = list(lengths_of(sizes))
        if sum(lengths) != length:
            raise InvalidArgumentError(
                f"Cannot exactly split the dimension of length {length} into parts of {lengths}.", site=here()
            )
    stops = np.cumsum(lengths)
    before = (slice(None),) * place
    return [x[(*before, slice(int(stop - one), int(stop)))] for one, stop in zip(lengths, stops, strict=True)]


# -- selecting ------------------------------------------------------------------------------------------


def gather(params: Any, indices: Any, axis: Any = None, batch_dims: int = 0) -> Any:
    """Returns the slices of a tensor at indices; one of the two is ragged."""
    x = values_of(params)
    if batch_dims or (axis is not None and int(axis) != 0):
        return _gather_in_rows(x, indices, int(axis or batch_dims), int(batch_dims))
    if isinstance(indices, RaggedTensor):
        return made(gather(x, indices.values), indices._partition)
    places = whole_numbers(indices, "indices")[0]
    count = count_of(x)
    if places.size and (places.min() < 0 or places.max() >= count):
        at = np.argwhere((places < 0) | (places >= count))[0]
        where = f"indices[{','.join(map(str, at))}]" if len(at) else "indices"
        raise InvalidArgumentError(f"{where} = {int(places[tuple(at)])} is not in [0, {count})", site=here())
    if leaves.is_dense(x):
        if isinstance(x, StringTensor):
            return StringTensor(np.asarray(x)[places])
        return _arrays.gather(params, indices)
    found = picked(x, places.ravel())
    for number in range(len(places.shape) - 1, 0, -1):
        found = made(found, uniform(places.shape[number], int(np.prod(places.shape[:number]))))
    return found if places.ndim else found[0]


def _gather_in_rows(x: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Returns slices at indices along an inner axis, or of each row at its own indices."""
    if batch_dims == 1 and axis == 1:
        rows = _cut_once(x)
        places = _cut_once(values_of(indices))
        if count_of(rows) != count_of(places):
            raise InvalidArgumentError(
                f"batch_dims=1: params have {count_of(rows)} rows, indices {count_of(places)}.", site=here()
            )
        numbers = np.asarray(places.flat_values.numpy(), np.int64)
        if len(partitions(places)) != 1 or numbers.ndim != 1:
            raise _not_here(f"tf.gather(axis={axis}, batch_dims={batch_dims}) with indices of that many axes")
        own, cut = rows._partition, places._partition
        if ((numbers < 0) | (numbers >= np.repeat(own.lengths, cut.lengths))).any():
            raise InvalidArgumentError("indices are out of range for their rows.", site=here())
        return made(picked(rows.values, np.repeat(own.starts, cut.lengths) + numbers), cut)
    if batch_dims == 0 and isinstance(x, RaggedTensor) and not isinstance(indices, RaggedTensor):
        if axis < 0:
            axis += len(x.shape)
        if axis > len(partitions(x)):
            return cut_again(x, _arrays.gather(x.flat_values, indices, axis=axis - len(partitions(x))))
    raise _not_here(f"tf.gather(axis={axis}, batch_dims={batch_dims})")


def _not_here(what: str) -> ArgumentError:
    return ArgumentError(
        f"{what} of a ragged tensor is not in penstock.tensorflow yet.",
        remedy="Fill the rows up first: x.to_tensor().",
        site=here(),
    )


def boolean_mask(data: Any, mask: Any) -> Any:
    """Returns the slices of a tensor at which a mask is true, ragged from the second axis on."""
    x = values_of(data)
    chosen = values_of(mask)
    if len(chosen.shape) == 0:
        raise ArgumentError("mask cannot be scalar.", site=here())
    if not isinstance(chosen, RaggedTensor) and len(chosen.shape) == 1:
        truths = np.asarray(chosen.numpy(), bool)
        if len(truths) != count_of(x):
            raise ArgumentError(f"Shapes ({count_of(x)},) and ({len(truths)},) are incompatible", site=here())
        return picked(x, np.flatnonzero(truths))
    rows, truths = _cut_once(x), _cut_once(chosen)
    if not rows._partition.same(truths._partition):
        raise InvalidArgumentError("Inputs must have identical ragged splits", site=here())
    own = rows._partition
    inner = boolean_mask(rows.values, truths.values)
    if isinstance(truths.values, RaggedTensor) or len(truths.values.shape) > 1:
        return made(inner, own)
    kept = np.bincount(own.ids, np.asarray(truths.values.numpy(), float), own.count).astype(np.int64)
    return made(inner, of_lengths(kept, own.dtype_))


def where_true(condition: RaggedTensor) -> Any:
    """Returns the places at which a ragged tensor of truth values is true."""
    coordinates = places_of(partitions(condition))
    truths = np.asarray(condition.flat_values.numpy(), bool)
    places = np.stack(coordinates, 1)
    inner = np.argwhere(truths)
    return constant(np.concatenate([places[inner[:, 0]], inner[:, 1:]], 1).astype(np.int64))


__all__ = [
    "boolean_mask", "dense_together", "expand_dims", "gather", "joined", "place_of", "reverse", "split",
    "squeeze", "tile", "where_true",
]  # fmt: skip
