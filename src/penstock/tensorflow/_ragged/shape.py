"""The shape of a ragged tensor: axes that are cut into rows, and the lengths of the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _dispatch
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._ragged.partition import RowPartition, of_lengths, uniform
from penstock.tensorflow._ragged.tensor import RaggedTensor, nested, partitions
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.trace.source_site import here

_begun = [False]


@named("tf.experimental.DynamicRaggedShape")
class DynamicRaggedShape:
    """The length of each axis: one number, or a tuple of the lengths of all rows where they differ.

    >>> from penstock import tensorflow as tf
    >>> tf.shape(tf.ragged.constant([[1], [2, 3], []]))
    <DynamicRaggedShape lengths=[3, (1, 2, 0)] num_row_partitions=1>
    """

    __slots__ = ("_cuts", "_inner")

    def __init__(self, row_partitions: Sequence[RowPartition], inner_shape: Any) -> None:
        self._cuts = list(row_partitions)
        self._inner = tuple(int(n) for n in np.reshape(np.asarray(inner_shape), -1))
        if self._cuts and (not self._inner or self._inner[0] != self._cuts[-1].values):
            raise ArgumentError(
                f"inner_shape is {list(self._inner)}, and the rows hold {self._cuts[-1].values} values.",
                site=here(),
            )
        if not _begun[0]:
            _begun[0] = _dispatch.begin(DynamicRaggedShape, "_ragged.functions")

    @classmethod
    def from_lengths(
        cls, lengths: Sequence[Any], num_row_partitions: Any = None, dtype: Any = None
    ) -> DynamicRaggedShape:
        """Returns a shape of numbers, and of tuples where rows differ.

        `dtype` does nothing: lengths are whole numbers of Python.
        """
        given = list(lengths)
        last = max((i for i, one in enumerate(given) if isinstance(one, tuple | list)), default=0)
        depth = last if num_row_partitions is None else int(num_row_partitions)
        if depth < last or depth >= max(len(given), 1):
            raise ArgumentError(f"num_row_partitions={depth} does not fit lengths {given}.", site=here())
        count, cuts = int(given[0]) if given else 1, []
        for one in given[1 : depth + 1]:
            cut = uniform(int(one), count) if isinstance(one, int | np.integer) else of_lengths(one)
            if cut.count != count:
                raise ArgumentError(f"lengths {given}: {one} is not of {count} rows.", site=here())
            cuts.append(cut)
            count = cut.values
        return cls(cuts, [count, *given[depth + 1 :]] if given else [])

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """Returns the shape of a tensor, ragged or not.

        `dtype` does nothing: lengths are whole numbers of Python.
        """
        cuts = partitions(t)
        inner = t.flat_values.shape if cuts else leaves.leaf(t).shape
        return cls(cuts, [int(n) for n in inner])

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How each axis is cut into rows."""
        return tuple(self._cuts)

    @property
    def num_row_partitions(self) -> int:
        """How many axes are cut into rows."""
        return len(self._cuts)

    @property
    def inner_shape(self) -> Any:
        """The shape of the innermost values, as a tensor."""
        return constant(np.asarray(self._inner, np.int64))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._cuts) + len(self._inner)

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Returns the length of each axis; a tuple, or None without `ragged_lengths`, where rows differ."""
        first = [self._cuts[0].count] if self._cuts else []
        cuts: list[Any] = [
            one.uniform
            if one.uniform is not None
            else tuple(one.lengths.tolist())
            if ragged_lengths
            else None
            for one in self._cuts
        ]
        return [*first, *cuts, *(self._inner[1:] if self._cuts else self._inner)]

    @property
    def static_shape(self) -> TensorShape:
        """The lengths, with None where rows differ."""
        return TensorShape(self.static_lengths(False))

    def is_uniform(self, axis: int) -> bool:
        """Returns whether an axis has one length."""
        return not isinstance(self.static_lengths()[axis], tuple)

    def __getitem__(self, index: Any) -> Any:
        lengths = self.static_lengths()
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            if index.indices(len(lengths))[0]:
                raise ArgumentError("A slice of a ragged shape starts with its first axis.", site=here())
            kept = lengths[index]
            depth = min(len(self._cuts), max(0, len(kept) - 1))
            return DynamicRaggedShape.from_lengths(kept, depth)
        found = lengths[int(index)]
        if isinstance(found, tuple):
            raise ArgumentError(f"Index {int(index)} is not uniform", site=here())
        return constant(np.asarray(found, np.int64))

    def _num_elements(self) -> int:
        return math.prod(self._inner)

    def _filled(self, values: Any) -> Any:
        """Returns innermost values, one after another, in this shape."""
        return nested(leaves.arranged(values, self._inner), self._cuts)

    def __repr__(self) -> str:
        lengths = ", ".join(str(one) for one in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={len(self._cuts)}>"


def reshaped(x: Any, shape: DynamicRaggedShape) -> Any:
    """Returns the elements of a tensor in a ragged shape."""
    values = x.flat_values if isinstance(x, RaggedTensor) else leaves.leaf(x)
    count = math.prod(int(n) for n in values.shape)
    if count != shape._num_elements():
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {count} values, but the requested shape has "
            f"{shape._num_elements()}",
            site=here(),
        )
    return shape._filled(values)


__all__ = ["DynamicRaggedShape", "reshaped"]
