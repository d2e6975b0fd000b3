"""tf.TypeSpec and tf.TensorSpec: what describes values, and which values and other descriptions fit it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from penstock.declared import named
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace.kinds import kind_of
from penstock.trace.tensor import Tensor

_APART = object()
"""In the place of a part that no description has in common."""


@named("tf.TypeSpec")
class TypeSpec(ABC):
    """What describes values: its class, and parts such as a shape and a dtype.

    A subclass says of which class the values are, and gives its parts in the order in which its constructor
    takes them. Two are equal if their parts are.

    >>> from penstock import tensorflow as tf
    >>> rows, two = tf.TensorSpec([None, 3]), tf.TensorSpec([2, 3])
    >>> rows.is_compatible_with(two), two.is_subtype_of(rows), rows.is_subtype_of(two), rows == two
    (True, True, False, False)
    >>> isinstance(rows, tf.TypeSpec)
    True
    """

    __slots__ = ()

    value_type: Any
    """The class of the described values."""
    from_value: Any
    """Returns the specification of such a value."""

    @abstractmethod
    def _parts(self) -> tuple[Any, ...]: ...

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether one value can fit this and another description, or is this value described."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            if not isinstance(other, self.value_type):
                return False
            other = self.from_value(other)
        return type(other) is type(self) and _compatible(self._parts(), other._parts())

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether every value that fits this fits `other`, too."""
        return type(other) is type(self) and within(self._parts(), other._parts())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the narrowest description that this and all others fit; None if there is none."""
        found = self._parts()
        for one in others:
            if type(one) is not type(self):
                return None
            found = _common(found, one._parts())
            if found is _APART:
                return None
        return type(self)(*found)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Returns the narrowest description that both fit; raises ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), *map(_hashable, self._parts())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._parts()!r}"


@named("tf.TensorSpec")
class TensorSpec(TypeSpec):
    """The shape and dtype of a tensor; None means any length.

    >>> from penstock import tensorflow as tf
    >>> tf.TensorSpec([None, 3], tf.int32, name="labels")
    TensorSpec(shape=(None, 3), dtype=tf.int32, name='labels')
    """

    def __init__(self, shape: Any, dtype: Any = "float32", name: Any = None) -> None:
        self.shape: TensorShape = as_shape(shape)
        self.dtype: DType = as_dtype(dtype)
        self.name = name

    @classmethod
    def from_spec(cls, spec: Any, name: Any = None) -> TensorSpec:
        """Returns the specification of what has a shape and a dtype, with its own name or another."""
        return cls(spec.shape, spec.dtype, name or getattr(spec, "name", None))

    @classmethod
    def from_tensor(cls, tensor: Any, name: Any = None) -> TensorSpec:
        """Returns the specification of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether a tensor, or another TensorSpec, has this dtype and lengths that fit."""
        other = spec_or_value
        is_tensor = isinstance(other, Tensor) or getattr(other, "_is_tensor", False)
        dense = is_tensor and not getattr(kind_of(other, True), "composite", False)
        if not dense and not isinstance(other, TensorSpec):
            return False
        return bool(self.dtype == other.dtype) and self.shape.is_compatible_with(other.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether every tensor that fits this fits `other`, which has this name, or this has none."""
        return (
            isinstance(other, TensorSpec)
            and self.name in (None, other.name)
            and self.dtype == other.dtype
            and self.shape.is_subtype_of(other.shape)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype.name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


# -- parts --------------------------------------------------------------------------------------------------


def _pairs(one: Any, other: Any) -> list[tuple[Any, Any]] | None:
    """Returns the parts of two structures side by side, of equal form; None for what has no parts."""
    if isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        return [(value, other[name]) for name, value in one.items()]
    if isinstance(one, TensorShape) or not isinstance(one, list | tuple):
        return None
    same = type(one) is type(other) and len(one) == len(other)
    return list(zip(one, other, strict=True)) if same else None


def _related(one: Any, other: Any, of_specs: str, of_shapes: str) -> bool:
    """Returns whether specifications and shapes are related, by these methods, and other parts equal."""
    pairs = _pairs(one, other)
    if pairs is not None:
        return all(_related(a, b, of_specs, of_shapes) for a, b in pairs)
    if isinstance(one, TypeSpec):
        return bool(getattr(one, of_specs)(other))
    if isinstance(one, TensorShape) and isinstance(other, TensorShape):
        return bool(getattr(one, of_shapes)(other))
    return bool(one == other)


def _compatible(one: Any, other: Any) -> bool:
    return _related(one, other, "is_compatible_with", "is_compatible_with")


def within(one: Any, other: Any) -> bool:
    """Returns whether the parts of two equal structures are equal, or specifications that fit the other's."""
    return _related(one, other, "is_subtype_of", "is_subtype_of")


def _common(one: Any, other: Any) -> Any:
    """Returns what both parts fit; `_APART` if there is nothing."""
    pairs = _pairs(one, other)
    if pairs is not None:
        return _refilled(one, [_common(a, b) for a, b in pairs])
    if isinstance(one, TypeSpec):
        found = one.most_specific_common_supertype([other])
        return _APART if found is None else found
    if isinstance(one, TensorShape) and isinstance(other, TensorShape):
        return one.most_specific_compatible_shape(other)
    return one if one == other else _APART


def _refilled(form: Any, parts: list[Any]) -> Any:
    if any(part is _APART for part in parts):
        return _APART
    if isinstance(form, Mapping):
        make: Callable[[Any], Any] = type(form)
        return make(dict(zip(form, parts, strict=True)))
    return type(form)(*parts) if hasattr(form, "_fields") else type(form)(parts)


def _hashable(part: Any) -> Any:
    if isinstance(part, Mapping):
        return tuple((name, _hashable(one)) for name, one in part.items())
    if isinstance(part, list | tuple) and not isinstance(part, TensorShape):
        return tuple(map(_hashable, part))
    return part


__all__ = ["TensorSpec", "TypeSpec", "within"]
