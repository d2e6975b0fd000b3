"""Nested structures: lists, tuples, mappings, dataclasses and registered classes.

A structure is taken apart into leaves, in an order that does not depend on how a mapping was filled, and an
outline: what it looks like without them. The outline puts other leaves in their places. Everything that is
not a structure is a leaf, except None, which is part of the outline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from penstock.trace.kinds import Kind, kind_of, ordered

Opaque = Callable[[Any], bool]
"""Marks a value as a leaf although it could be flattened."""


class Outline:
    """The shape of a structure without its leaves. Equal for structures of the same classes and keys.

    `count` is how many leaves it has.
    """

    __slots__ = ("count", "kind", "parts", "rest", "same", "type")

    def __init__(self, kind: Kind | None, type: Any, rest: Any, parts: Sequence[Outline]) -> None:
        self.kind, self.type, self.rest, self.parts = kind, type, rest, tuple(parts)
        self.same: Any = kind if kind is not None and kind.alike else type
        self.count: int = sum(one.count for one in parts) if kind is not None else int(type is LEAF_TYPE)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Outline) or self.same is not other.same or self.count != other.count:
            return False
        return bool(self.rest == other.rest) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.same, self.rest, self.parts))

    def __repr__(self) -> str:
        if self.kind is None:
            return "*" if self.type is LEAF_TYPE else "None"
        return self.kind.show(self.type, self.rest, [repr(one) for one in self.parts])

    def packed(self, leaves: Iterator[Any]) -> Any:
        """Returns a structure of this outline, with these leaves."""
        if self.kind is None:
            return next(leaves) if self is LEAF else None
        made = [next(leaves) if one is LEAF else one.packed(leaves) for one in self.parts]
        return self.kind.together(self.type, self.rest, made)


class LEAF_TYPE:
    """Stands for the class of any leaf."""


LEAF, NOTHING = Outline(None, LEAF_TYPE, None, ()), Outline(None, None, None, ())


def flatten(
    structure: Any, opaque: Opaque | None = None, composites: bool = False
) -> tuple[list[Any], Outline]:
    """Returns the leaves of a structure, and its outline."""
    leaves: list[Any] = []
    return leaves, _outline(structure, leaves, opaque, composites)


def _outline(structure: Any, leaves: list[Any], opaque: Opaque | None, composites: bool) -> Outline:
    if opaque is None or not opaque(structure):
        if structure is None:
            return NOTHING
        kind = kind_of(structure, composites)
        if kind is not None:
            rest, parts = kind.apart(structure)
            inner = [_outline(one, leaves, opaque, composites) for one in parts]
            return Outline(kind, type(structure), rest, inner)
    leaves.append(structure)
    return LEAF


def outline(structure: Any, opaque: Opaque | None = None) -> Outline:
    """Returns the outline of a structure, to be compared."""
    return _outline(structure, [], opaque, False)


def flat(structure: Any, opaque: Opaque | None = None) -> list[Any]:
    """Returns the leaves of a structure, in order; None is not a leaf, unless it is `opaque`."""
    leaves: list[Any] = []
    _gather(structure, leaves, opaque)
    return leaves


def _gather(structure: Any, leaves: list[Any], opaque: Opaque | None) -> None:
    if opaque is None or not opaque(structure):
        if structure is None:
            return
        known = type(structure)
        if known is list or known is tuple:
            for one in structure:
                _gather(one, leaves, opaque)
            return
        if known is dict:
            for key in ordered(tuple(structure)):
                _gather(structure[key], leaves, opaque)
            return
        kind = kind_of(structure)
        if kind is not None:
            for one in kind.apart(structure)[1]:
                _gather(one, leaves, opaque)
            return
    leaves.append(structure)


def mapped(
    structure: Any, function: Callable[[Any], Any], opaque: Opaque | None = None, composites: bool = False
) -> Any:
    """Returns a structure with a function applied to its leaves, in order."""
    if opaque is None or not opaque(structure):
        if structure is None:
            return None
        known = type(structure)
        if known is list or known is tuple:
            return known([mapped(one, function, opaque, composites) for one in structure])
        kind = kind_of(structure, composites)
        if kind is not None:
            rest, parts = kind.apart(structure)
            made = [mapped(one, function, opaque, composites) for one in parts]
            return kind.together(known, rest, made)
    return function(structure)


def holds(values: Any, kinds: Any) -> bool:
    """Returns whether this is an instance of these classes, or nested lists and tuples that contain one."""
    return isinstance(values, kinds) or (
        isinstance(values, list | tuple) and any(holds(one, kinds) for one in values)
    )


def packed(structure: Any, leaves: Iterator[Any], opaque: Opaque | None = None) -> Any:
    """Returns a structure like the given one, with these leaves."""
    return mapped(structure, lambda _: next(leaves), opaque)


def named(
    structure: Any, name: str, opaque: Opaque | None = None, composites: bool = False
) -> Iterator[tuple[str, Any]]:
    """Yields the leaves of a structure, each with the expression a user would write: `batch['x'][0]`."""
    kind = None if opaque is not None and opaque(structure) else kind_of(structure, composites)
    if kind is None:
        if structure is not None:
            yield name, structure
        return
    rest, parts = kind.apart(structure)
    for number, one in enumerate(parts):
        label = kind.label(type(structure), rest, number)
        yield from named(one, f"{name}{label}", opaque, composites)


__all__ = [
    "LEAF",
    "NOTHING",
    "Outline",
    "flat",
    "flatten",
    "holds",
    "mapped",
    "named",
    "outline",
    "packed",
]
