"""tf.experimental.ExtensionType: classes of typed fields, which do not change."""

from __future__ import annotations

import inspect
import sys
import typing
from abc import ABCMeta
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _elementwise, _reductions, math
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._extension_types.fields import (
    ImmutableDict,
    check,
    converted,
    described,
    is_tensor,
)
from penstock.tensorflow._function import fitting
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow._type_spec import TensorSpec, TypeSpec
from penstock.trace import structure
from penstock.trace.kinds import register
from penstock.trace.source_site import here

_MAKING = "_extension_type_is_made"


@named("tf.experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(TypeSpec):
    """What an extension type's values have in common: specifications in the place of tensors."""

    value_type: Any = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        given = _signature(self.value_type, False).bind(*arguments, **options)
        for name, one in given.arguments.items():
            object.__setattr__(self, name, one)

    def _settle(self) -> None:
        hints = _hints(self.value_type)
        for name, annotation in hints.items():
            if name not in vars(self):
                raise TypeError(f"{type(self).__name__}: the field {name!r} has no value.")
            own = converted(annotation, getattr(self, name), name, of_spec=True)
            object.__setattr__(self, name, own)

    def _parts(self) -> tuple[Any, ...]:
        return tuple(self._fields().values())

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _hints(self.value_type)}

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether a value, or a specification, is one of these."""
        other = spec_or_value if isinstance(spec_or_value, ExtensionTypeSpec) else described(spec_or_value)
        if type(other) is not type(self):
            return False
        return all(_compatible(one, other._fields()[name]) for name, one in self._fields().items())

    def _fit(self, value: Any) -> Any:
        """Returns a value whose tensors have the dtypes of this specification, if its shapes fit."""
        if not isinstance(value, self.value_type):
            return fitting(value, TensorSpec([], "float32"))
        return _of(
            self.value_type,
            {name: _fitted(getattr(value, name), own) for name, own in self._fields().items()},
        )

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self._fields()) == repr(other._fields())

    def __hash__(self) -> int:
        return hash((type(self).__name__, repr(self._fields())))

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={dict(one) if isinstance(one, ImmutableDict) else one!r}"
            for name, one in self._fields().items()
        )
        return f"{type(self).__name__}({inside})"


def _fitted(value: Any, wanted: Any) -> Any:
    if hasattr(wanted, "_fit"):
        return wanted._fit(value)
    if isinstance(wanted, ImmutableDict):
        return ImmutableDict({name: _fitted(value[name], one) for name, one in wanted.items()})
    return fitting(value, wanted)


def _compatible(one: Any, other: Any) -> bool:
    if isinstance(one, ExtensionTypeSpec):
        return one.is_compatible_with(other)
    if isinstance(one, TensorSpec):
        return (
            isinstance(other, TensorSpec)
            and one.dtype == other.dtype
            and one.shape.is_compatible_with(other.shape)
        )
    if isinstance(one, TensorShape):
        return one.is_compatible_with(other)
    if isinstance(one, ImmutableDict):
        return list(one) == list(other) and all(_compatible(one[name], other[name]) for name in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_compatible, one, other))
    return bool(one == other)


class _SpecType(ABCMeta):
    """The class of specifications: their fields are checked once the constructor has set them."""

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        made = super().__call__(*arguments, **options)
        if cls.value_type is not None:  # type: ignore[attr-defined]
            made._settle()
        return made


class _ExtensionMeta(type):
    """The class of extension types: it reads the fields, and settles each instance."""

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> None:
        super().__init__(name, bases, space)
        if space.get("_is_base"):
            return
        # Annotations may be words, which have a meaning where the class is written.
        cls._written_among = sys._getframe(1).f_globals
        _check_fields(cls, space)
        own = space.get("Spec")
        parents = (own, ExtensionTypeSpec) if isinstance(own, type) else (ExtensionTypeSpec,)
        cls.Spec = _SpecType(f"{name}.Spec", parents, {"value_type": cls, "__module__": cls.__module__})
        register(cls, _apart, lambda rest, parts: _together(cls, rest, parts))

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if vars(cls).get("_is_base"):
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because it is an abstract class."
            )
        kind: Any = cls
        made: Any = object.__new__(kind)
        vars(made)[_MAKING] = True
        made.__init__(*arguments, **options)
        settled: dict[str, Any] = {}
        for name, annotation in _hints(cls).items():
            if name not in vars(made) and not _has_default(cls, name):
                raise AttributeError(f"Field {name!r} was not set by the constructor of {cls.__name__}.")
            settled[name] = converted(annotation, getattr(made, name), name)
        others = [name for name in vars(made) if name not in _hints(cls) and name != _MAKING]
        if others:
            raise AttributeError(
                f"The constructor of {cls.__name__} set {', '.join(others)}, which no field declares."
            )
        vars(made).clear()
        vars(made).update(settled)
        made.__validate__()
        return made


def _annotations(cls: type) -> dict[str, Any]:
    """Returns the annotations in the body of a class, which may name what does not exist yet."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def _check_fields(cls: Any, space: dict[str, Any]) -> None:
    declared = _annotations(cls)
    for name, one in space.items():
        plain = not (callable(one) or isinstance(one, property | classmethod | staticmethod | type))
        if plain and not name.startswith("__") and name not in declared and not hasattr(one, "__get__"):
            raise ArgumentError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a type "
                "annotation.",
                remedy=f"Write {name}: tf.Tensor, or of what type it is.",
                site=here(),
            )
    for name, one in declared.items():
        check(one, name)


def _hints(cls: Any) -> dict[str, Any]:
    """Returns the annotation of each field, those of the classes before first."""
    found = vars(cls).get("_known_fields")
    if found is None:
        found = {}
        for base in reversed(cls.__mro__):
            if isinstance(base, _ExtensionMeta) and not vars(base).get("_is_base"):
                found.update(_resolved(base, vars(base)["_written_among"]))
        cls._known_fields = found
    return found  # type: ignore[no-any-return]


def _resolved(base: Any, space: dict[str, Any]) -> dict[str, Any]:
    own = _annotations(base)
    stand_in = type(base.__name__, (), {"__annotations__": own, "__module__": base.__module__})
    try:
        return typing.get_type_hints(stand_in, space, {base.__name__: base})
    except NameError as error:
        name = next((one for one, kind in own.items() if str(error.name) in str(kind)), error.name)
        raise TypeError(f"{name}: Unsupported type annotation {error.name!r}") from None


def _signature(cls: Any, defaults: bool = True) -> inspect.Signature:
    kind = inspect.Parameter
    parameters = [
        kind(
            name,
            kind.POSITIONAL_OR_KEYWORD,
            default=getattr(cls, name) if defaults and _has_default(cls, name) else kind.empty,
        )
        for name in _hints(cls)
    ]
    first = [one for one in parameters if one.default is kind.empty]
    return inspect.Signature(first + [one for one in parameters if one.default is not kind.empty])


def _has_default(cls: Any, name: str) -> bool:
    return any(name in vars(base) for base in cls.__mro__)


def _of(cls: Any, fields: dict[str, Any]) -> Any:
    """Returns an instance with these fields, which nothing checks."""
    made = object.__new__(cls)
    vars(made).update(fields)
    return made


def _apart(value: Any) -> tuple[Any, Any]:
    """Returns the fields with tensors in them, and the others, which must be equal in structures alike."""
    parts, rest = [], []
    for name, one in vars(value).items():
        moving = is_tensor(one) or any(map(is_tensor, structure.flat(one)))
        rest.append((name, moving, None if moving else one))
        if moving:
            parts.append(one)
    return parts, tuple(rest)


def _together(cls: Any, rest: Any, parts: Any) -> Any:
    given = iter(parts)
    return _of(cls, {name: next(given) if moving else one for name, moving, one in rest})


@named("tf.experimental.ExtensionType")
class ExtensionType(metaclass=_ExtensionMeta):
    """A class of typed fields whose instances do not change, and which TensorFlow takes for one value.

    Tensor fields take whatever `tf.convert_to_tensor` takes. `__validate__` may check what the constructor
    has made, and a nested class `Spec` may change how specifications are made.

    >>> from penstock import tensorflow as tf
    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> masked = Masked([1, 2], [True, False])
    >>> tf.type_spec_from_value(masked).mask
    TensorSpec(shape=(2,), dtype=tf.bool, name=None)
    >>> print(tf.nest.map_structure(lambda x: x[:1], masked, expand_composites=True).values)
    tf.Tensor([1], shape=(1,), dtype=int32)
    """

    _is_base = True
    _comes_first = True
    Spec: Any = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            given = _signature(type(self)).bind(*arguments, **options)
        except TypeError as error:
            raise TypeError(str(error)) from None
        given.apply_defaults()
        for name, one in given.arguments.items():
            setattr(self, name, one)

    def __validate__(self) -> None:
        """Raises an error if the fields do not fit together; a class may define it."""

    def __setattr__(self, name: str, value: Any) -> None:
        self._only_while_made(name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        self._only_while_made(name)
        del vars(self)[name]

    def _only_while_made(self, name: str) -> None:
        if _MAKING not in vars(self):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )

    @property
    def _type_spec(self) -> Any:
        kind: Any = type(self).Spec
        spec: Any = object.__new__(kind)
        for name, one in vars(self).items():
            object.__setattr__(spec, name, described(one))
        return spec

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = list(zip(structure.flat(self), structure.flat(other), strict=True))
        found: Any = True
        for one, another in pairs:
            same = _reductions.reduce_all(math.equal(one, another))
            found = same if found is True else math.logical_and(found, same)
        return found

    def __ne__(self, other: object) -> Any:
        found = self == other
        return not found if isinstance(found, bool) else math.logical_not(_elementwise.cast(found, "bool"))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={one!r}' for name, one in vars(self).items())})"


@named("tf.experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An extension type of which one value can stand for a batch: an axis more for each of its tensors."""

    _is_base = True


@named("tf.experimental.extension_type.as_dict")
def as_dict(value: Any) -> dict[str, Any]:
    """Returns the fields of an extension type's value by name."""
    return dict(vars(value))
