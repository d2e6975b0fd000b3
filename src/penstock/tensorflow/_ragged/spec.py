"""The specification of a ragged tensor: its shape, its dtype, and how many axes are cut into rows."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow import _dispatch
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._ragged.tensor import RaggedTensor, partitions
from penstock.tensorflow._tensor_shape import as_shape
from penstock.tensorflow._type_spec import TypeSpec
from penstock.trace.source_site import here

_begun = [False]


@named("tf.RaggedTensorSpec")
class RaggedTensorSpec(TypeSpec):
    """The shape, dtype and number of cut axes of a ragged tensor; None means lengths that differ.

    >>> from penstock import tensorflow as tf
    >>> tf.RaggedTensorSpec([2, None], tf.int32)
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """

    __slots__ = ("_dtype", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self, shape: Any = None, dtype: Any = "float32", ragged_rank: Any = None,
        row_splits_dtype: Any = "int64", flat_values_spec: Any = None,
    ) -> None:  # fmt: skip
        if shape is None and ragged_rank is None:
            raise ArgumentError("Must specify ragged_rank or a shape with known rank.", site=here())
        self._shape = as_shape(shape)
        own = getattr(flat_values_spec, "dtype", dtype)
        self._dtype, self._row_splits_dtype = as_dtype(own), as_dtype(row_splits_dtype)
        rank: Any = self._shape.rank
        self._ragged_rank = rank - 1 if ragged_rank is None else int(ragged_rank)
        if rank is not None and self._ragged_rank >= rank:
            raise ArgumentError(
                f"Argument `ragged_rank` ({self._ragged_rank}) must be less than rank ({rank}).", site=here()
            )
        if not _begun[0]:
            _begun[0] = _dispatch.begin(RaggedTensorSpec, "_ragged.functions")

    @property
    def shape(self) -> Any:
        """The lengths, None where they differ."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many axes are cut into rows."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> Any:
        """The dtype of row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> None:
        """The specification of the innermost values, which is always None."""
        return

    @property
    def value_type(self) -> type:
        """The class of the described values."""
        return RaggedTensor

    @classmethod
    def from_value(cls, value: RaggedTensor) -> RaggedTensorSpec:
        """Returns the specification of a ragged tensor."""
        cut = partitions(value)[0]
        return cls(value.shape, value.dtype, value.ragged_rank, cut.dtype)

    def _parts(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype


__all__ = ["RaggedTensorSpec"]
