"""A value that may be missing: the result of an iterator that does not raise at its end."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._convert import constant
from penstock.tensorflow._data_specs import OptionalSpec
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._specs import type_spec_from_value
from penstock.trace.source_site import here
from penstock.trace.structure import mapped


@named("tf.experimental.Optional")
class Optional:
    """A value that may be missing. `from_value` makes one that has it, `empty` one that has not.

    >>> from penstock import tensorflow as tf
    >>> found = tf.experimental.Optional.from_value(42)
    >>> print(found.has_value().numpy(), found.get_value().numpy())
    True 42
    """

    __slots__ = ("_element_spec", "_value")

    def __init__(self, value: Any, element_spec: Any) -> None:
        self._value, self._element_spec = value, element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Returns one that has a value."""
        held = mapped(value, lambda one: one if hasattr(one, "dtype") else leaves.leaf(one))
        return Optional([held], mapped(held, type_spec_from_value))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """Returns one that has no value."""
        return Optional([], element_spec)

    def has_value(self, name: Any = None) -> Any:
        """Returns whether there is a value."""
        return constant(bool(self._value))

    def get_value(self, name: Any = None) -> Any:
        """Returns the value; raises InvalidArgumentError where there is none."""
        if not self._value:
            raise InvalidArgumentError("The given optional does not have a value.", site=here())
        return self._value[0]

    @property
    def element_spec(self) -> Any:
        """The shape and dtype of the value."""
        return self._element_spec

    def _own_spec(self) -> OptionalSpec:
        return OptionalSpec.from_value(self)

    def __repr__(self) -> str:
        return (
            f"tf.experimental.Optional({self._element_spec}, value={self._value[0] if self._value else None})"
        )


OptionalSpec.value_type = Optional

__all__ = ["Optional"]
