"""tf.ragged: tensors whose rows have several lengths. See `_ragged/`."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.tensorflow._crosses import choices as _choices
from penstock.tensorflow._crosses import hashed as _hashed
from penstock.tensorflow._crosses import rows_of as _rows_of
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._ragged import arranging as _arranging
from penstock.tensorflow._ragged import functions as _functions  # noqa: F401  (teaches the public functions)
from penstock.tensorflow._ragged import leaves as _leaves
from penstock.tensorflow._ragged.partition import RowPartition as _RowPartition
from penstock.tensorflow._ragged.partition import whole_numbers as _whole_numbers
from penstock.tensorflow._ragged.tensor import RaggedTensor as _RaggedTensor
from penstock.tensorflow._ragged.tensor import cut_again as _cut_again
from penstock.tensorflow._ragged.tensor import made as _made
from penstock.tensorflow._ragged.tensor import partitions as _partitions
from penstock.tensorflow._ragged.tensor import picked as _picked
from penstock.tensorflow._ragged.tensor import values_of as _values_of
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow.sparse import SparseTensor as _SparseTensor
from penstock.trace.source_site import here as _here
from penstock.trace.structure import mapped as _mapped


@_named("tf.ragged.map_flat_values")
def map_flat_values(op: _Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns a function's results for the innermost values, in the same rows.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.map_flat_values(tf.nn.relu, tf.ragged.constant([[-1.0], [2.0, -3.0]]))
    <tf.RaggedTensor [[0.0], [2.0, 0.0]]>
    """
    found: list[Any] = []

    def flat(one: Any) -> Any:
        if not isinstance(one, _RaggedTensor):
            return one
        found.append(one)
        return one.flat_values

    arguments, options = _mapped((list(args), kwargs), flat)
    if not found:
        return op(*args, **kwargs)
    first = found[0]
    cuts = _partitions(first)
    for other in found[1:]:
        theirs = _partitions(other)
        if len(theirs) != len(cuts) or not all(a.same(b) for a, b in zip(cuts, theirs, strict=True)):
            raise _ArgumentError(
                "All ragged inputs of tf.ragged.map_flat_values must have the same rows.",
                origin=f"{first.shape} and {other.shape}",
                site=_here(),
            )
    made = op(*arguments, **options)
    values = made if isinstance(made, _RaggedTensor) else _leaves.leaf(made)
    count = cuts[-1].values
    if not tuple(values.shape) or int(values.shape[0]) != count:
        raise _ArgumentError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size "
            f"as flat_values of any ragged inputs. (output shape: {values.shape}; expected outer dimension "
            f"size: {count})",
            site=_here(),
        )
    if isinstance(made, _RaggedTensor):
        for one in reversed(cuts):
            values = _made(values, one)
        return values
    return _cut_again(first, values)


@_named("tf.ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: Any = None) -> Any:
    """Returns the slices of a tensor at which a mask is true, each in its row; looks at the mask.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, False]])
    <tf.RaggedTensor [[1, 3], []]>
    """
    return _arranging.boolean_mask(data, mask)


@_named("tf.ragged.stack")
def stack(values: _Sequence[Any], axis: Any = 0, name: Any = None) -> Any:
    """Returns tensors joined along a new axis; they may have several lengths.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    return _arranging.joined(values if isinstance(values, list | tuple) else [values], axis, True)


@_named("tf.ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: Any = None, out_type: Any = None) -> Any:
    """Returns the row of each value, of where rows end."""
    cut = _RowPartition.from_row_splits(splits)
    return cut.shown(cut.ids, out_type)


@_named("tf.ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: Any = None
) -> Any:
    """Returns where rows end, of the row of each value."""
    cut = _RowPartition.from_value_rowids(segment_ids, num_segments)
    return cut.shown(cut.splits, out_type)


@_named("tf.ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: Any = None) -> Any:
    """Returns for each number the slices of data that have it, as a row; looks at the numbers.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.stack_dynamic_partitions([10, 20, 30], [1, 0, 1], 3)
    <tf.RaggedTensor [[20], [10, 30], []]>
    """
    numbers = partitions.flat_values if isinstance(partitions, _RaggedTensor) else partitions
    ids = _whole_numbers(numbers, "partitions")[0]
    values = _values_of(data)
    for _ in _partitions(partitions):
        values = values.values
    if ids.ndim != 1:
        shape = tuple(int(n) for n in values.shape)
        values, ids = _leaves.arranged(values, (ids.size, *shape[ids.ndim :])), ids.ravel()
    count = int(num_partitions)
    if ids.size and not (ids.min() >= 0 and ids.max() < count):
        raise _ArgumentError(f"partitions must be from 0 to {count - 1}.", site=_here())
    order = _np.argsort(ids, kind="stable")
    cut = _RowPartition.from_value_rowids(ids[order], count)
    return _made(_picked(values, order), cut)


@_named("tf.ragged.cross")
def cross(inputs: _Sequence[Any], name: Any = None) -> Any:
    """Returns for each row every choice of one word from each input, put together with "_X_".

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    rows = [[_words(one) for one in row] for row in zip(*map(_lists, inputs), strict=True)]
    made = [[b"_X_".join(one) for one in _choices(row)] for row in rows]
    flat = _np.empty(sum(map(len, made)), object)
    flat[:] = [one for row in made for one in row]
    return _RaggedTensor.from_row_lengths(_StringTensor(flat), [len(row) for row in made])


def _lists(one: Any) -> list[Any]:
    if isinstance(one, _SparseTensor):
        return _rows_of(one)
    found: list[Any] = one.to_list() if isinstance(one, _RaggedTensor) else _leaves.leaf(one).numpy().tolist()
    return found


def _words(row: list[Any]) -> list[bytes]:
    return [one if isinstance(one, bytes) else str(one).encode() for one in row]


@_named("tf.ragged.cross_hashed")
def cross_hashed(
    inputs: _Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: Any = None
) -> Any:
    """Returns for each row every choice of one value from each input, as a hash below `num_buckets`.

    >>> from penstock import tensorflow as tf
    >>> words = tf.ragged.constant([["a"], ["b", "c"]])
    >>> tf.ragged.cross_hashed([words, tf.constant([[1], [2]])], 100).shape
    TensorShape([2, None])
    """
    rows = [
        [_hashed(one, num_buckets, hash_key) for one in _choices(list(row))]
        for row in zip(*map(_lists, inputs), strict=True)
    ]
    flat = _np.array([one for row in rows for one in row], _np.int64)
    return _RaggedTensor.from_row_lengths(_leaves.leaf(flat), [len(row) for row in rows])


__getattr__, __dir__, __all__ = _namespace("tf.ragged", globals(), "_ragged.constants")
