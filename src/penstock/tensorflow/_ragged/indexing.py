"""`x[...]` of a ragged tensor: rows, and parts of every row."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._ragged.partition import of_lengths, spans, uniform
from penstock.tensorflow._ragged.tensor import RaggedTensor, count_of, made, picked, row
from penstock.tensorflow._strings import StringTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

WHOLE = slice(None)


class RowIndexError(PenstockError, IndexError):
    """The number of a row that a ragged tensor does not have."""


def item(x: RaggedTensor, key: Any) -> Any:
    """Returns `x[key]`: whole numbers, slices, `...` and new axes, the outermost axis first."""
    keys = [_plain(one) for one in (key if isinstance(key, tuple) else (key,))]
    rank = len(x.shape)
    asked = sum(one is not None and one is not Ellipsis for one in keys)
    if Ellipsis in [one for one in keys if one is Ellipsis]:
        place = next(i for i, one in enumerate(keys) if one is Ellipsis)
        keys[place : place + 1] = [WHOLE] * (rank - asked)
    if asked > rank:
        dims = len(x.flat_values.shape)
        raise InvalidArgumentError(
            f"Index out of range using input dim {dims}; input has only {dims} dims",
            why=f"{asked} indices are given for a ragged tensor of {rank} axes.",
            site=here(),
        )
    return _outer(x, keys)


def _plain(key: Any) -> Any:
    """Returns an index as Python has it: the value of a tensor."""
    if isinstance(key, slice):
        parts = (key.start, key.stop, key.step)
        return slice(*(one if one is None else int(one) for one in parts))
    if key is None or key is Ellipsis:
        return key
    if isinstance(key, RaggedTensor):
        raise ArgumentError(
            "A ragged tensor is no index.", remedy="Use tf.ragged.boolean_mask, or tf.gather.", site=here()
        )
    if isinstance(key, Tensor | Cell | np.ndarray | list) and np.ndim(np.asarray(key)):
        numbers = np.asarray(key)
        if numbers.dtype == np.bool_:
            raise ArgumentError(
                "A mask is no index of a ragged tensor.", remedy="Use tf.ragged.boolean_mask.", site=here()
            )
        return numbers
    return int(key)


def _outer(x: Any, keys: list[Any]) -> Any:
    if not isinstance(x, RaggedTensor):
        return _of_leaf(x, keys)
    if not keys:
        return x
    key, rest = keys[0], keys[1:]
    if key is None:
        inner = _outer(x, rest)
        return made(inner, uniform(count_of(inner), 1))
    count = x._partition.count
    if isinstance(key, np.ndarray):
        return _inner(picked(x, np.where(key < 0, key + count, key)), rest)
    if isinstance(key, slice):
        return _inner(picked(x, np.arange(count)[key]), rest)
    if not -count <= key < count:
        raise RowIndexError(f"Row key {key} out of bounds", origin=f"There are {count} rows.", site=here())
    return _outer(row(x, key % count), rest)


def _of_leaf(x: Any, keys: list[Any]) -> Any:
    if not keys:
        return x
    if isinstance(x, StringTensor):
        return StringTensor(np.asarray(x, object)[tuple(keys)])
    return x[tuple(keys)]


def _inner(x: Any, keys: list[Any]) -> Any:
    """Returns every row of x indexed by the keys."""
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return _of_leaf(x, [WHOLE, *keys])
    key, rest = keys[0], keys[1:]
    own, values = x._partition, x._values
    if key is None:
        inner = _inner(x, rest)
        return made(inner, uniform(1, count_of(inner)))
    if isinstance(key, np.ndarray):
        raise ArgumentError("A list of indices is taken for the outermost axis only.", site=here())
    if isinstance(key, int):
        if own.uniform is None:
            raise ArgumentError("Cannot index into an inner ragged dimension.", site=here())
        if not -own.uniform <= key < own.uniform:
            raise InvalidArgumentError(f"slice index {key} of dimension 1 out of bounds.", site=here())
        return _inner(picked(values, own.starts + key % own.uniform), rest)
    if key == WHOLE:
        return made(_inner(values, rest), own)
    starts, lengths, step = _cut(own.lengths, key)
    places = np.repeat(own.starts + starts, lengths) + spans(np.zeros(len(lengths)), lengths) * step
    if own.uniform is not None:
        length = int(lengths[0]) if len(lengths) else len(range(own.uniform)[key])
        cut = uniform(length, own.count, own.dtype_)
    else:
        cut = of_lengths(lengths, own.dtype_)
    return made(_inner(picked(values, places), rest), cut)


def _cut(lengths: Any, key: slice) -> tuple[Any, Any, int]:
    """Returns where a slice of each row begins, how long it is, and its step."""
    step = 1 if key.step is None else key.step
    if step == 0:
        raise ArgumentError("slice step cannot be zero", site=here())
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    first, last = (low, high) if step > 0 else (high, low)

    def place(given: int | None, missing: Any) -> Any:
        if given is None:
            return missing + np.zeros_like(lengths)
        return np.clip(given + lengths if given < 0 else given + np.zeros_like(lengths), low, high)

    start, stop = place(key.start, first), place(key.stop, last)
    count = np.maximum(0, -((start - stop) // step) if step > 0 else -((stop - start) // -step))
    return start, count, step


__all__ = ["RowIndexError", "item"]
