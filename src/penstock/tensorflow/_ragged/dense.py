"""Ragged tensors of dense and sparse ones, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._ragged.partition import RowPartition, of_lengths, spans, uniform, whole_numbers
from penstock.tensorflow._ragged.tensor import (
    RaggedTensor,
    bounds,
    made,
    nested,
    partitions,
    places_of,
)
from penstock.tensorflow._strings import StringTensor, strings
from penstock.trace.source_site import here


def from_tensor(tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any) -> Any:
    """Does what `RaggedTensor.from_tensor` says."""
    dtype = numpy_dtype(row_splits_dtype)
    x = leaves.leaf(tensor)
    shape = tuple(int(n) for n in x.shape)
    if lengths is not None and padding is not None:
        raise ArgumentError("Specify argument `lengths` or `padding`, but not both.", site=here())
    if ragged_rank < 1:
        raise ArgumentError(f"ragged_rank must be greater than 0; got {ragged_rank}.", site=here())
    if len(shape) <= ragged_rank:
        raise ArgumentError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
            f"dimensions. Received argument `tensor` with rank {len(shape)}.",
            why=f"ragged_rank={ragged_rank} needs at least {ragged_rank + 1} axes.",
            site=here(),
        )
    if isinstance(lengths, list | tuple) and len(lengths) and np.ndim(_plain(lengths[0])):
        if ragged_rank not in (1, len(lengths)):
            raise ArgumentError(
                f"If lengths is a tuple of row_lengths, then ragged_rank must be len(lengths): got "
                f"{ragged_rank}, not {len(lengths)}.",
                site=here(),
            )
        found = from_tensor(x, _plain(lengths[0]), None, 1, dtype)
        if len(lengths) == 1:
            return found
        return made(from_tensor(found.values, lengths[1:], None, 1, dtype), found._partition)
    if ragged_rank > 1:
        rows = leaves.arranged(x, (shape[0] * shape[1], *shape[2:]))
        inner = from_tensor(rows, lengths, padding, ragged_rank - 1, dtype)
        return made(inner, uniform(shape[1], shape[0], dtype))
    if lengths is None and padding is None:
        rows = leaves.arranged(x, (shape[0] * shape[1], *shape[2:]))
        return made(rows, uniform(shape[1], shape[0], dtype))
    kept = _filled(x, padding) if lengths is None else whole_numbers(_plain(lengths), "lengths")[0]
    if kept.shape != shape[:1]:
        raise ArgumentError(f"lengths has shape {kept.shape}, and there are {shape[0]} rows.", site=here())
    kept = np.clip(kept, 0, shape[1])
    rows = leaves.arranged(x, (shape[0] * shape[1], *shape[2:]))
    starts = np.arange(shape[0], dtype=np.int64) * shape[1]
    return made(leaves.gathered(rows, spans(starts, kept)), of_lengths(kept, dtype))


def _plain(lengths: Any) -> Any:
    return lengths.numpy() if hasattr(lengths, "numpy") else np.asarray(lengths)


def _filled(x: Any, padding: Any) -> Any:
    """Returns the length of each row without the padding at its end."""
    value = np.asarray(x.numpy())
    if isinstance(x, StringTensor):
        fill: Any = strings(padding).numpy()
    else:
        fill = np.asarray(operand(padding, value.dtype))
    if np.shape(fill) != value.shape[2:]:
        raise ArgumentError(
            f"padding has shape {np.shape(fill)}, and what lies in a row {value.shape[2:]}.", site=here()
        )
    there: Any = np.asarray(value != fill, bool)
    there = there.any(tuple(range(2, there.ndim))) if there.ndim > 2 else there
    return np.where(there, np.arange(1, value.shape[1] + 1), 0).max(1, initial=0).astype(np.int64)


def to_tensor(x: RaggedTensor, default_value: Any, shape: Any) -> Any:
    """Does what `RaggedTensor.to_tensor` says."""
    cuts, values = partitions(x), x.flat_values
    full = list(bounds(x))
    depth = len(cuts) + 1
    if shape is not None:
        asked = [None if n is None else int(n) for n in shape]
        if len(asked) != len(full):
            raise ArgumentError(
                f"shape has {len(asked)} axes, and the ragged tensor {len(full)}.", site=here()
            )
        full = [n if want is None or want < 0 else want for n, want in zip(full, asked, strict=True)]
        if tuple(full[depth:]) != tuple(values.shape)[1:]:
            raise ArgumentError(
                f"to_tensor: the rows hold slices of shape {tuple(values.shape)[1:]}, and shape asks for "
                f"{tuple(full[depth:])}.",
                remedy="Cut or fill up those axes afterwards: tf.pad, or x[..., :n].",
                site=here(),
            )
    outer, inner = tuple(full[:depth]), tuple(full[depth:])
    count = cuts[-1].values
    places = np.full(outer, count, np.int64)
    coordinates = places_of(cuts)
    inside = np.ones(count, bool)
    for one, length in zip(coordinates, outer, strict=True):
        inside &= one < length
    places[tuple(one[inside] for one in coordinates)] = np.arange(count)[inside]
    if count and not (places == count).any():
        filled = values
    else:
        filled = leaves.joined([values, leaves.filling(values, default_value, (1, *inner))])
        places = places if count else np.zeros_like(places)
    return leaves.arranged(leaves.gathered(filled, places.ravel()), (*outer, *inner))


def to_sparse(x: RaggedTensor) -> Any:
    """Does what `RaggedTensor.to_sparse` says."""
    from penstock.tensorflow.sparse import SparseTensor

    coordinates = places_of(partitions(x))
    values = x.flat_values
    inner = tuple(int(n) for n in tuple(values.shape)[1:])
    places = np.stack(coordinates, 1)
    for length in inner:
        places = np.concatenate(
            [np.repeat(places, length, 0), np.tile(np.arange(length), len(places))[:, None]], 1
        )
    return SparseTensor(
        constant(places), leaves.arranged(values, (len(places),)), constant(np.asarray(bounds(x), np.int64))
    )


def from_sparse(sparse: Any, row_splits_dtype: Any) -> Any:
    """Does what `RaggedTensor.from_sparse` says."""
    places = np.asarray(sparse.indices.numpy())
    shape = np.asarray(sparse.dense_shape.numpy())
    if len(shape) != 2:
        raise ArgumentError(f"rank(st_input) must be 2; it is {len(shape)}.", site=here())
    rows = np.bincount(places[:, 0], minlength=int(shape[0])) if len(places) else np.zeros(int(shape[0]), int)
    if not np.array_equal(places[:, 1], spans(np.zeros(len(rows)), rows)):
        raise InvalidArgumentError(
            "SparseTensor is not right-ragged",
            why="The elements of each row must come one after another from its left.",
            site=here(),
        )
    return made(sparse.values, of_lengths(rows, numpy_dtype(row_splits_dtype)))


def merge_dims(x: RaggedTensor, outer: int, inner: int) -> Any:
    """Returns the axes from `outer` to `inner` as one."""
    if outer > inner:
        raise ArgumentError(
            f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})", site=here()
        )
    if outer == inner:
        return x
    cuts, values = partitions(x), x.flat_values
    shape = tuple(int(n) for n in values.shape)
    dense = max(0, inner - len(cuts))
    if dense and outer > len(cuts):
        at = outer - len(cuts)
        merged = int(np.prod(shape[at : inner - len(cuts) + 1]))
        return nested(leaves.arranged(values, (*shape[:at], merged, *shape[at + 1 + inner - outer :])), cuts)
    if dense:
        merged = int(np.prod(shape[1 : dense + 1]))
        values = leaves.arranged(values, (shape[0] * merged, *shape[dense + 1 :]))
        cuts = [*cuts, *(_inner_cut(shape, number) for number in range(1, dense + 1))]
    if outer == 0:
        return nested(values, cuts[inner:])
    splits = cuts[outer - 1].splits
    for one in cuts[outer:inner]:
        splits = one.splits[splits]
    lengths: list[Any] = [one.uniform for one in cuts[outer - 1 : inner]]
    whole = None if None in lengths else int(np.prod(lengths))
    joined = RowPartition(splits, whole, cuts[0].dtype_)
    return nested(values, [*cuts[: outer - 1], joined, *cuts[inner:]])


def _inner_cut(shape: tuple[int, ...], number: int) -> RowPartition:
    return uniform(shape[number], int(np.prod(shape[:number])))


__all__ = ["from_sparse", "from_tensor", "merge_dims", "to_sparse", "to_tensor"]
