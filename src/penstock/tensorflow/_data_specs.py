"""The specifications of data sets, of their iterators and of values that may be missing."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._tensor_shape import as_shape
from penstock.tensorflow._type_spec import TypeSpec


class _OfElements(TypeSpec):
    """The specification of what gives elements of one kind."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The specification of an element."""
        return self._element_spec

    def _parts(self) -> tuple[Any, ...]:
        return (self._element_spec,)


@named("tf.data.DatasetSpec", "tf.compat.v1.data.DatasetSpec")
class DatasetSpec(_OfElements):
    """The specification of a data set, or of data sets in a structure of this shape.

    >>> from penstock import tensorflow as tf
    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3)).element_spec
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """

    __slots__ = ("_shape",)

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)
        self._shape = as_shape(dataset_shape)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """Returns the specification of a data set."""
        return DatasetSpec(value.element_spec)

    def _parts(self) -> tuple[Any, ...]:
        return self._element_spec, self._shape


@named("tf.data.IteratorSpec")
class IteratorSpec(_OfElements):
    """The specification of an iterator over a data set.

    >>> from penstock import tensorflow as tf
    >>> tf.data.IteratorSpec(tf.TensorSpec([2]))
    IteratorSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None),)
    """

    __slots__ = ()

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        """Returns the specification of an iterator."""
        return IteratorSpec(value.element_spec)


@named("tf.OptionalSpec")
class OptionalSpec(_OfElements):
    """The specification of a value that may be missing.

    >>> from penstock import tensorflow as tf
    >>> tf.OptionalSpec(tf.TensorSpec([])).is_compatible_with(tf.experimental.Optional.from_value(1.0))
    True
    """

    __slots__ = ()

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """Returns the specification of a value that may be missing."""
        return OptionalSpec(value.element_spec)


__all__ = ["DatasetSpec", "IteratorSpec", "OptionalSpec"]
