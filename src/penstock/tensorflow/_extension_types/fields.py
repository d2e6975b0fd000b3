"""The annotations of an extension type's fields, and values brought to them."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.tensorflow._convert import constant
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.tensorflow._type_spec import TensorSpec
from penstock.trace.tensor import Cell, Tensor

_PLAIN = (int, float, str, bytes, bool)
_UNTYPED = (list, dict, tuple, set, Any)
"""Classes that do not say of what type their elements are."""
_UNIONS = (typing.Union, types.UnionType)


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that does not change."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._items = dict(*arguments, **options)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


def is_tensor(value: Any) -> bool:
    """Returns whether a value is a tensor of any kind."""
    return isinstance(value, Tensor | Cell) or getattr(value, "_is_tensor", False)


def check(annotation: Any, path: str) -> None:
    """Raises TypeError for an annotation that a field cannot have."""
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _UNIONS:
        for one in inside:
            check(one, path)
    elif origin is tuple and inside:
        if Ellipsis in inside and (len(inside) != 2 or inside[0] is Ellipsis):
            raise _unsupported(annotation, path)
        for one in inside:
            if one is not Ellipsis:
                check(one, path)
    elif origin is not None and origin in (Mapping, typing.get_origin(typing.Mapping[str, int])):
        check(inside[1], path)
    elif annotation is not None and (
        annotation in _UNTYPED or origin is not None or not _is_class(annotation)
    ):
        raise _unsupported(annotation, path)


def _is_class(annotation: Any) -> bool:
    return isinstance(annotation, type | str | typing.ForwardRef)


def _unsupported(annotation: Any, path: str) -> TypeError:
    shown = getattr(annotation, "__name__", None) if isinstance(annotation, type) else annotation
    return TypeError(
        f"In field {path!r}: Unsupported type annotation {str(shown)!r}\n"
        "Write tf.Tensor, int, float, str, bool, tf.TensorShape, tf.DType, another extension type, or Tuple, "
        "Mapping, Union or Optional of these."
    )


def converted(annotation: Any, value: Any, path: str, of_spec: bool = False) -> Any:
    """Returns a value brought to an annotation; raises TypeError where it cannot be.

    `of_spec` takes specifications in the place of tensors.
    """
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is None or annotation is type(None):
        if value is not None:
            raise TypeError(f"{path}: expected None, got {type(value).__name__!r}")
        return None
    if origin in _UNIONS:
        return _one_of(inside, value, path, of_spec)
    if origin is tuple:
        return _tuple(inside, value, path, of_spec)
    if origin is not None:
        if not isinstance(value, Mapping):
            raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
        key, own = inside
        return ImmutableDict(
            {
                converted(key, name, f"{path}.keys"): converted(own, one, f"{path}[{name!r}]", of_spec)
                for name, one in value.items()
            }
        )
    if annotation is DType:
        return as_dtype(value)
    if annotation is TensorShape:
        return as_shape(value)
    if of_spec and annotation not in _PLAIN:
        if not isinstance(value, TensorSpec) and not hasattr(value, "_fit") and not hasattr(value, "dtype"):
            raise TypeError(f"{path}: expected a TypeSpec, got {type(value).__name__!r}")
        return value
    if annotation is EagerTensor:
        return _tensor(value, path)
    if not isinstance(value, annotation):
        raise TypeError(f"{path}: expected {annotation.__name__!r}, got {type(value).__name__!r}")
    return value


def _tensor(value: Any, path: str) -> Any:
    if is_tensor(value) and not isinstance(value, Cell):
        return value
    try:
        return constant(value)
    except (PenstockError, TypeError, ValueError):
        raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}") from None


def _one_of(options: tuple[Any, ...], value: Any, path: str, of_spec: bool) -> Any:
    for one in options:
        try:
            return converted(one, value, path, of_spec)
        except (TypeError, ValueError):
            continue
    names = ", ".join(getattr(one, "__name__", str(one)) for one in options)
    raise TypeError(f"{path}: expected one of {names}, got {type(value).__name__!r}")


def _tuple(inside: tuple[Any, ...], value: Any, path: str, of_spec: bool) -> Any:
    if not isinstance(value, list | tuple | np.ndarray):
        raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
    wanted = [inside[0]] * len(value) if inside[-1] is Ellipsis else list(inside)
    if len(wanted) != len(value):
        raise TypeError(f"{path}: expected tuple with length {len(wanted)}, got length {len(value)}")
    return tuple(
        converted(own, one, f"{path}[{place}]", of_spec)
        for place, (own, one) in enumerate(zip(wanted, value, strict=True))
    )


def described(value: Any) -> Any:
    """Returns a value with a specification in the place of each tensor."""
    from penstock.tensorflow._specs import type_spec_from_value

    if hasattr(value, "_type_spec"):
        return value._type_spec
    if isinstance(value, StringTensor | Tensor) or is_tensor(value):
        return type_spec_from_value(value)
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        return tuple(described(one) for one in value)
    if isinstance(value, ImmutableDict):
        return ImmutableDict({name: described(one) for name, one in value.items()})
    return value
