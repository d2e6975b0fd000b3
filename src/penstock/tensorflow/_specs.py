"""Specifications of values for functions and data sets: shape and dtype, for each kind of tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import CallableError
from penstock.tensorflow._strings import is_text
from penstock.tensorflow._tape import IndexedSlices
from penstock.tensorflow._tensor_shape import as_shape
from penstock.tensorflow._type_spec import TensorSpec, TypeSpec
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


@named("tf.SparseTensorSpec")
class SparseTensorSpec(TypeSpec):
    """The shape and dtype of a sparse tensor; None means any length.

    >>> from penstock import tensorflow as tf
    >>> tf.SparseTensorSpec([3, None], tf.float32)
    SparseTensorSpec(TensorShape([3, None]), tf.float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any = None, dtype: Any = "float32") -> None:
        self.shape = as_shape(shape)
        self.dtype = as_dtype(dtype)

    @property
    def value_type(self) -> type:
        """The class of the described values."""
        from penstock.tensorflow.sparse import SparseTensor

        return SparseTensor

    @staticmethod
    def from_value(value: Any) -> SparseTensorSpec:
        """Returns the specification of a sparse tensor."""
        return SparseTensorSpec(value.shape, value.dtype)

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype


@named("tf.IndexedSlicesSpec", "tf.compat.v1.IndexedSlicesSpec")
class IndexedSlicesSpec(TypeSpec):
    """The shape and dtype of a gradient by rows, with the dtypes of its indices and of its shape.

    >>> from penstock import tensorflow as tf
    >>> tf.IndexedSlicesSpec([None, 2])
    IndexedSlicesSpec(TensorShape([None, 2]), tf.float32, tf.int64, None, TensorShape([None]))
    """

    __slots__ = ("_given",)

    def __init__(
        self, shape: Any = None, dtype: Any = "float32", indices_dtype: Any = "int64",
        dense_shape_dtype: Any = None, indices_shape: Any = None,
    ) -> None:  # fmt: skip
        of_shape = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        rows = as_shape([None]) if indices_shape is None else as_shape(indices_shape)
        self._given = as_shape(shape), as_dtype(dtype), as_dtype(indices_dtype), of_shape, rows

    @property
    def value_type(self) -> type:
        """The class of the described values."""
        return IndexedSlices

    @staticmethod
    def from_value(value: Any) -> IndexedSlicesSpec:
        """Returns the specification of a gradient by rows."""
        of_shape = None if value.dense_shape is None else value.dense_shape.dtype
        rows = value.indices
        return IndexedSlicesSpec(value.shape, value.dtype, rows.dtype, of_shape, rows.shape)

    def _parts(self) -> tuple[Any, ...]:
        return self._given


@named("tf.TensorArraySpec", "tf.compat.v1.TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """The shape and dtype of the tensors in a tf.TensorArray, and whether it grows.

    >>> from penstock import tensorflow as tf
    >>> tf.TensorArraySpec([None], tf.float32, dynamic_size=True)
    TensorArraySpec(TensorShape([None]), tf.float32, True, True)
    """

    __slots__ = ("_given",)

    def __init__(
        self, element_shape: Any = None, dtype: Any = "float32", dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:  # fmt: skip
        self._given = as_shape(element_shape), as_dtype(dtype), bool(dynamic_size), bool(infer_shape)

    @property
    def value_type(self) -> type:
        """The class of the described values."""
        from penstock.tensorflow._tensor_array import TensorArray

        return TensorArray

    @staticmethod
    def from_value(value: Any) -> TensorArraySpec:
        """Returns the specification of a tf.TensorArray."""
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infers_shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether `other` has this dtype, and grows if this does: shapes do not count."""
        return isinstance(other, TensorArraySpec) and self._given[1:3] == other._given[1:3]

    def _parts(self) -> tuple[Any, ...]:
        return self._given


@named("tf.NoneTensorSpec", "tf.compat.v1.NoneTensorSpec")
class NoneTensorSpec(TypeSpec):
    """The specification of None.

    >>> from penstock import tensorflow as tf
    >>> tf.NoneTensorSpec().is_compatible_with(None)
    True
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of the described value."""
        return type(None)

    @staticmethod
    def from_value(value: None) -> NoneTensorSpec:
        """Returns the specification of None. `value` does nothing: it is None."""
        return NoneTensorSpec()

    def _parts(self) -> tuple[Any, ...]:
        return ()


@named("tf.type_spec_from_value")
def type_spec_from_value(value: Any) -> Any:
    """Returns the specification of a value: a tensor or an array, a ragged or sparse one, a data set, None.

    >>> from penstock import tensorflow as tf
    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if hasattr(value, "_own_spec"):
        return value._own_spec()
    if isinstance(value, TypeSpec):
        return value
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, IndexedSlices):
        of_shape = None if value.dense_shape is None else value.dense_shape.dtype
        return IndexedSlicesSpec(value.shape, value.dtype, value.indices.dtype, of_shape, value.indices.shape)
    kind = type(value).__name__
    if kind == "TensorArray":
        return TensorArraySpec.from_value(value)
    if kind == "RaggedTensor":
        from penstock.tensorflow._ragged.spec import RaggedTensorSpec

        return RaggedTensorSpec.from_value(value)
    if kind == "SparseTensor":
        return SparseTensorSpec.from_value(value)
    if is_text(value):
        text = constant(value)
        return TensorSpec(text.shape, text.dtype)
    if isinstance(value, Tensor | Cell | np.ndarray | np.generic | int | float | bool | list | tuple):
        tensor = tensor_of(value)
        return TensorSpec(tensor.shape, tensor.dtype)
    raise CallableError(
        f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}", site=here()
    )


__all__ = [
    "IndexedSlicesSpec",
    "NoneTensorSpec",
    "SparseTensorSpec",
    "TensorArraySpec",
    "type_spec_from_value",
]
