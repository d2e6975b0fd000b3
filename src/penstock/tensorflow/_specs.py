"""Specifications of values for functions and data sets: shape and dtype, for each kind of tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import CallableError
from penstock.tensorflow._function import TensorSpec
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


@named("tf.SparseTensorSpec")
class SparseTensorSpec:
    """The shape and dtype of a sparse tensor; None means any length.

    >>> from penstock import tensorflow as tf
    >>> tf.SparseTensorSpec([3, None], tf.float32)
    SparseTensorSpec(TensorShape([3, None]), tf.float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any = None, dtype: Any = "float32") -> None:
        self.shape: TensorShape | None = None if shape is None else as_shape(shape)
        self.dtype = as_dtype(dtype)

    @property
    def value_type(self) -> type:
        """The class of the described values."""
        from penstock.tensorflow.sparse import SparseTensor

        return SparseTensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype.name))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


@named("tf.type_spec_from_value")
def type_spec_from_value(value: Any) -> Any:
    """Returns the specification of a value: a tensor, an array, a ragged or a sparse tensor.

    >>> from penstock import tensorflow as tf
    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if hasattr(value, "element_spec"):
        return value
    kind = type(value).__name__
    if kind == "RaggedTensor":
        from penstock.tensorflow._ragged.spec import RaggedTensorSpec

        return RaggedTensorSpec.from_value(value)
    if kind == "SparseTensor":
        return SparseTensorSpec(value.shape, value.dtype)
    if kind == "StringTensor":
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Tensor | Cell | np.ndarray | np.generic | int | float | bool | list | tuple):
        tensor = tensor_of(value)
        return TensorSpec(tensor.shape, tensor.dtype)
    raise CallableError(
        f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}", site=here()
    )


__all__ = ["SparseTensorSpec", "type_spec_from_value"]
