"""Methods of ragged tensors that are about dense and sparse ones, and about parts of rows."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._ragged import dense, indexing
from penstock.tensorflow._ragged.arranging import place_of
from penstock.tensorflow._ragged.tensor import RaggedTensor


def from_tensor(
    tensor: Any, lengths: Any = None, padding: Any = None, ragged_rank: int = 1, name: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:  # fmt: skip
    """Returns the rows of a tensor: complete, of these lengths, or without their padding.

    >>> from penstock import tensorflow as tf
    >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [6, 0, 0]], padding=0)
    <tf.RaggedTensor [[5, 7], [6]]>
    """
    return dense.from_tensor(tensor, lengths, padding, int(ragged_rank), row_splits_dtype)


def from_sparse(st_input: Any, name: Any = None, row_splits_dtype: Any = "int64") -> Any:
    """Returns the elements of each row of a sparse matrix, which come one after another from its left."""
    return dense.from_sparse(st_input, row_splits_dtype)


def to_tensor(self: Any, default_value: Any = None, name: Any = None, shape: Any = None) -> Any:
    """Returns a tensor in which short rows are filled up with 0, or with `default_value`.

    Each axis is as long as its longest row, or as `shape` says unless that is None: longer rows are cut
    off.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.constant([[9, 8, 7], [6]]).to_tensor(default_value=-1).numpy().tolist()
    [[9, 8, 7], [6, -1, -1]]
    """
    return dense.to_tensor(self, default_value, shape)


def to_sparse(self: Any, name: Any = None) -> Any:
    """Returns a sparse tensor with the elements at their places in the rows."""
    return dense.to_sparse(self)


def merge_dims(self: Any, outer_axis: int, inner_axis: int) -> Any:
    """Returns the axes from `outer_axis` to `inner_axis` as one.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
    <tf.RaggedTensor [[1, 2, 3], [4]]>
    """
    rank = len(self.shape)
    return dense.merge_dims(self, place_of(outer_axis, rank), place_of(inner_axis, rank))


for _maker in (from_tensor, from_sparse):
    setattr(RaggedTensor, _maker.__name__, staticmethod(_maker))
for _method in (to_tensor, to_sparse, merge_dims):
    setattr(RaggedTensor, _method.__name__, _method)
setattr(RaggedTensor, "__getitem__", indexing.item)  # noqa: B010  (the class says nothing of it)

__all__ = ["from_sparse", "from_tensor", "merge_dims", "to_sparse", "to_tensor"]
