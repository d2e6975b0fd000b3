"""Which classes are structures, and how instances are taken apart and rebuilt.

They are lists, tuples, mappings, dataclasses and registered classes; `trace/structure.py` walks them.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import weakref
from collections import OrderedDict, UserDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from typing import Any, TypeVar, overload

from penstock.errors import ArgumentError, PenstockError
from penstock.trace.source_site import here

C = TypeVar("C", bound=type)
KEPT = "_penstock_steps"
"""The attribute for data that belongs to the object alone and is not one of its parts."""


class ByClass:
    """A fact about each class, found when its first instance is seen and kept as long as the class lives.

    `known` holds classes that never go away; hot loops look there first.
    """

    every: list[ByClass] = []  # noqa: RUF012  (all of them, to be told of a registration)

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self.find = find
        self.known: dict[type, Any] = {}
        self.others: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
        ByClass.every.append(self)

    def of(self, thing: Any) -> Any:
        """Returns the fact about the class of a thing."""
        kind = type(thing)
        found = self.known.get(kind)
        if found is None:
            found = self.others.get(kind)
        if found is None:
            found = self.find(thing)
            lasting = kind.__module__.partition(".")[0] in ("builtins", "collections", "numpy", "penstock")
            (self.known if lasting else self.others)[kind] = found
        return found

    def forget(self) -> None:
        """Forgets every fact."""
        self.known.clear()
        self.others.clear()


class Kind:
    """How structures of one class are taken apart and put together."""

    composite = False
    """Whether it is one value to code that does not ask for its parts, as the rows of a gradient are."""
    alike = False
    """Whether structures of two classes may have equal outlines, as a dict and an OrderedDict have."""

    def apart(self, structure: Any) -> tuple[Any, Sequence[Any]]:
        """Returns the rest of the structure, to be compared, and its parts."""
        raise NotImplementedError

    def together(self, kind: Any, rest: Any, parts: Sequence[Any]) -> Any:
        """Returns an instance of the class `kind` made of parts."""
        raise NotImplementedError

    def exact(self, rest: Any) -> Any:
        """Returns the rest in full, including details in which structures of equal outline may differ."""
        return rest

    def label(self, kind: Any, rest: Any, number: int) -> str:
        """Returns the suffix that names a part of a structure: `[0]`, `['x']`, `.x`."""
        raise NotImplementedError

    def show(self, kind: Any, rest: Any, parts: Sequence[str]) -> str:
        """Returns the structure as text, given the text of its parts."""
        labels = [self.label(kind, rest, number).strip(".[]") for number in range(len(parts))]
        inside = ", ".join(f"{label}={part}" for label, part in zip(labels, parts, strict=True))
        return f"{kind.__name__}({inside})"


class Named:
    """The attributes of an instance: its parts with their names, and the words, which are not parts."""

    __slots__ = ("names", "parts", "words")

    def __init__(self, structure: Any, declared: Iterable[str] = (), without: str = KEPT) -> None:
        found = {name: getattr(structure, name) for name in declared if hasattr(structure, name)}
        found |= getattr(structure, "__dict__", {})
        for name in (KEPT, without):
            found.pop(name, None)
        self.words = tuple([(name, type(one), one) for name, one in found.items() if isinstance(one, WORDS)])
        self.parts = [one for one in found.values() if not isinstance(one, WORDS)]
        self.names = tuple([name for name, one in found.items() if not isinstance(one, WORDS)])

    def key(self) -> tuple[Any, ...]:
        """Returns what identifies the instance apart from its parts."""
        return self.names, self.words


def _give(structure: Any, named: tuple[Any, ...], values: Iterable[Any]) -> Any:
    names, words = named
    for name, one in zip(names, values, strict=True):
        object.__setattr__(structure, name, one)
    for name, _, one in words:
        object.__setattr__(structure, name, one)
    return structure


NO_ATTRIBUTES: tuple[Any, ...] = (), ()
WORDS = (
    str, bytes, enum.Enum, type, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
)  # fmt: skip
"""Attributes of these classes are not leaves: they stay with the instance."""


class _List(Kind):
    """Lists and tuples, named ones among them, and classes derived from them."""

    def apart(self, structure: Any) -> tuple[Any, Sequence[Any]]:
        kind = type(structure)
        if kind is list or kind is tuple or not getattr(structure, "__dict__", None):
            return (len(structure), NO_ATTRIBUTES), structure
        extra = Named(structure)
        return (len(structure), extra.key()), [*structure, *extra.parts]

    def together(self, kind: Any, rest: Any, parts: Sequence[Any]) -> Any:
        if kind is list or kind is tuple:
            return kind(parts)
        count, extra = rest
        made: Any
        if issubclass(kind, list):
            made = list.__new__(kind)
            list.extend(made, parts[:count])
        else:
            try:
                made = tuple.__new__(kind, parts[:count])
            except TypeError:
                # A class written in C, such as time.struct_time.
                made = kind(parts[:count])
        return _give(made, extra, parts[count:])

    def label(self, kind: Any, rest: Any, number: int) -> str:
        if number >= rest[0]:
            return f".{rest[1][0][number - rest[0]]}"
        names = getattr(kind, "_fields", ())
        return f".{names[number]}" if number < len(names) else f"[{number}]"

    def show(self, kind: Any, rest: Any, parts: Sequence[str]) -> str:
        if kind is list:
            return f"[{', '.join(parts)}]"
        if kind is tuple:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        return super().show(kind, rest, parts)


class _Values(Kind):
    """The values of a mapping, as `dict.values()` shows them, which come back as a list; and a deque."""

    def apart(self, structure: Any) -> tuple[Any, Sequence[Any]]:
        return (len(structure), getattr(structure, "maxlen", None)), list(structure)

    def together(self, kind: Any, rest: Any, parts: Sequence[Any]) -> Any:
        return kind(parts, rest[1]) if issubclass(kind, deque) else list(parts)

    def label(self, kind: Any, rest: Any, number: int) -> str:
        return f"[{number}]"


class Keys:
    """The keys of a mapping, compared in an order that does not depend on how it was filled.

    `order` is the order in which the user filled it.
    """

    __slots__ = ("extra", "factory", "order", "sorted")

    def __init__(self, structure: Any, extra: tuple[Any, ...]) -> None:
        self.order, self.extra = tuple(structure), extra
        self.sorted = ordered(self.order)
        self.factory = getattr(structure, "default_factory", None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keys) and (self.sorted, self.extra) == (other.sorted, other.extra)

    def __hash__(self) -> int:
        return hash((self.sorted, self.extra))


def ordered(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns keys in an order that does not depend on theirs."""
    if len(keys) < 2:
        return keys
    try:
        found = tuple(sorted(keys))
    except TypeError:
        found = tuple(sorted(keys, key=lambda one: (type(one).__qualname__, repr(one))))
    return keys if found == keys else found


class _Mapping(Kind):
    """Mappings of any class. The items come back in the user's order, attributes of subclasses as well."""

    alike = True

    def apart(self, structure: Any) -> tuple[Any, Sequence[Any]]:
        if type(structure) is dict:
            keys = Keys(structure, NO_ATTRIBUTES)
            return keys, [structure[key] for key in keys.sorted]
        # Only the class itself knows where another kind of mapping keeps its items.
        without = "data" if isinstance(structure, UserDict) else KEPT
        extra = Named(structure, (), without) if isinstance(structure, dict | UserDict) else None
        keys = Keys(structure, NO_ATTRIBUTES if extra is None else extra.key())
        return keys, [*(structure[key] for key in keys.sorted), *(extra.parts if extra is not None else ())]

    def together(self, kind: Any, rest: Any, parts: Sequence[Any]) -> Any:
        items = dict(zip(rest.sorted, parts, strict=False))
        if rest.order is not rest.sorted:
            items = {key: items[key] for key in rest.order}
        if kind is dict:
            return items
        if issubclass(kind, dict):
            made = kind.__new__(kind)
            write = OrderedDict.__setitem__ if issubclass(kind, OrderedDict) else dict.__setitem__
            for key, one in items.items():
                write(made, key, one)
            if rest.factory is not None:
                made.default_factory = rest.factory
        elif issubclass(kind, UserDict):
            made = kind.__new__(kind)
            made.data = items
        else:
            try:
                made = kind(items)
            except Exception as error:
                raise PenstockError(
                    f"No {kind.__name__} could be made of {len(items)} items: {error}",
                    why="A structure is rebuilt around other values by calling the class with a dict.",
                    remedy=how_to_register(kind),
                    site=here(),
                ) from error
        return _give(made, rest.extra, parts[len(items) :])

    def exact(self, rest: Any) -> Any:
        return rest.order, tuple(map(type, rest.order)), rest.extra, rest.factory

    def label(self, kind: Any, rest: Any, number: int) -> str:
        count = len(rest.sorted)
        return f"[{rest.sorted[number]!r}]" if number < count else f".{rest.extra[0][number - count]}"

    def show(self, kind: Any, rest: Any, parts: Sequence[str]) -> str:
        if kind is not dict:
            return super().show(kind, rest, parts)
        return "{" + ", ".join(f"{key!r}: {one}" for key, one in zip(rest.sorted, parts, strict=True)) + "}"


class _Attributes(Kind):
    """Dataclasses and other classes whose instances are their attributes. `__init__` is not called again.

    Strings and functions among these stay with the instance; they are not parts.
    """

    def __init__(self, declared: tuple[str, ...]) -> None:
        self.declared = declared

    def apart(self, structure: Any) -> tuple[Any, Sequence[Any]]:
        found = Named(structure, self.declared)
        return found.key(), found.parts

    def together(self, kind: Any, rest: Any, parts: Sequence[Any]) -> Any:
        try:
            made = object.__new__(kind)
        except TypeError:
            # A class written in C, or derived from one.
            made = kind.__new__(kind)
        return _give(made, rest, parts)

    def label(self, kind: Any, rest: Any, number: int) -> str:
        return f".{rest[0][number]}"


class _Registered(Kind):
    """A class registered with functions of its own."""

    def __init__(
        self, flatten: Callable[[Any], Any], unflatten: Callable[[Any, Any], Any], composite: bool
    ) -> None:
        self.flatten, self.unflatten, self.composite = flatten, unflatten, composite

    def apart(self, structure: Any) -> tuple[Any, Sequence[Any]]:
        found = self.flatten(structure)
        if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[0], Iterable):
            raise ArgumentError(
                f"The function that takes {type(structure).__name__} apart returned {found!r}.",
                why="It was registered as `flatten`, so it must return the parts and the rest.",
                remedy="Return a pair: ((parts...), something hashable, or None).",
                site=here(),
            )
        parts = tuple(found[0])
        return (len(parts), found[1]), parts

    def together(self, kind: Any, rest: Any, parts: Sequence[Any]) -> Any:
        return self.unflatten(rest[1], tuple(parts))

    def label(self, kind: Any, rest: Any, number: int) -> str:
        return f"[{number}]"


_LISTS, _VALUES, _MAPPINGS, _LEAF = _List(), _Values(), _Mapping(), Kind()
_registered: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()
_registered[types.SimpleNamespace] = _Attributes(())


def _find(thing: Any) -> Kind:
    kind = type(thing)
    found = _registered.get(kind)
    if found is not None:
        return found
    if hasattr(kind, "_is_layer"):
        return _LEAF
    if isinstance(thing, list | tuple):
        return _LISTS
    if isinstance(thing, Mapping):
        return _MAPPINGS
    if isinstance(thing, ValuesView | deque):
        return _VALUES
    for base in kind.__mro__:
        if isinstance(_registered.get(base), _Attributes):
            return _Attributes(_declared(kind))
    if dataclasses.is_dataclass(kind):
        return _Attributes(_declared(kind))
    return _LEAF


def _declared(kind: Any) -> tuple[str, ...]:
    """Returns the names of the attributes that a class declares: fields of a dataclass, slots."""
    names = [one.name for one in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    for base in reversed(kind.__mro__):
        slots = base.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    hidden = ("__dict__", "__weakref__")
    return tuple(dict.fromkeys(one for one in names if one not in hidden))


_kinds = ByClass(_find)


def kind_of(thing: Any, composites: bool = False) -> Kind | None:
    """Returns how a structure is taken apart, or None for a leaf."""
    found: Kind = _kinds.known.get(type(thing)) or _kinds.of(thing)
    return None if found is _LEAF or (found.composite and not composites) else found


# -- registration -----------------------------------------------------------------------------------------


@overload
def register_structure(kind: C, /) -> C: ...
@overload
def register_structure(
    kind: C,
    /,
    flatten: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten: Callable[[Any, tuple[Any, ...]], Any],
) -> C: ...
def register_structure(kind: Any, /, flatten: Any = None, unflatten: Any = None) -> Any:
    """Lets instances of a class be nested structures, like lists and dictionaries; returns the class.

    Alone, or as a decorator, it makes an instance's attributes its parts, in subclasses too; instances are
    made again without calling `__init__`. Otherwise `flatten(instance)` returns (parts, rest), `rest`
    being hashable, and `unflatten(rest, parts)` makes an instance of that class alone.

    Lists, tuples, named tuples, mappings of any class, deques and dataclasses need no registration. They are
    taken apart wherever tensors may be nested: arguments and results of `ps.step`, `ps.grad` and its
    relatives, `GradientTape.gradient`, `ps.cond`, `ps.scan`, `ps.while_loop`, `ps.vmap`, `ps.checkpoint`,
    `ps.custom_gradient`.

    Raises ArgumentError for anything but a class, for a known class, and if one of the functions is missing.

    Args:
        kind: the class.
        flatten: a function from an instance to its parts and the rest; None for a dataclass.
        unflatten: a function from the rest and the parts to an instance.

    Returns:
        The class, or a decorator.

    Raises:
        ArgumentError: if `kind` is not a class, or its parts cannot be known.

    >>> import penstock as ps
    >>> @ps.register_structure
    ... class Line:
    ...     def __init__(self, slope, offset):
    ...         self.slope, self.offset = slope, offset
    >>> found = ps.grad(lambda line: line.slope * 3.0 + line.offset)(Line(2.0, 1.0))
    >>> float(found.slope), float(found.offset)
    (3.0, 1.0)
    """
    if not isinstance(kind, type) or kind in (list, tuple, dict):
        what = "a structure already" if isinstance(kind, type) else "no class"
        raise ArgumentError(
            f"register_structure was given {kind!r}, which is {what}.",
            remedy="Give a class of your own.",
            site=here(),
        )
    if (flatten is None) != (unflatten is None):
        raise ArgumentError(
            f"register_structure({kind.__name__}) was given only one function.",
            why="A structure that is flattened must also be rebuilt.",
            remedy="Give both flatten and unflatten, or neither; with neither, the attributes are the parts.",
            site=here(),
        )
    register(kind, flatten, unflatten)
    return kind


def register(kind: type, flatten: Any = None, unflatten: Any = None, composite: bool = False) -> None:
    """Does what `register_structure` does; a `composite` is a leaf unless its parts are requested."""
    made = _Attributes(()) if flatten is None else _Registered(flatten, unflatten, composite)
    _registered[kind] = _Attributes(_declared(kind)) if flatten is None else made
    for one in ByClass.every:
        one.forget()


def keep_whole(kind: type) -> None:
    """Makes instances of a class leaves, although they are lists, tuples or mappings."""
    _registered[kind] = _LEAF
    for one in ByClass.every:
        one.forget()


def how_to_register(kind: type) -> str:
    """Returns what the user types to make a class a structure."""
    return (
        f"If {kind.__name__} holds tensors, say so: ps.register_structure({kind.__name__}). Its attributes "
        "then become its parts. Or give flatten and unflatten."
    )


__all__ = [
    "KEPT",
    "ByClass",
    "Kind",
    "how_to_register",
    "keep_whole",
    "kind_of",
    "register",
    "register_structure",
]
