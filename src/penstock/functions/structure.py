"""Nested lists, tuples and dictionaries: their leaves in order, and the same around other leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def flat(structure: Any) -> list[Any]:
    """Returns the leaves of nested lists, tuples and dictionaries, in order; None is no leaf."""
    leaves: list[Any] = []
    stack = [structure]
    while stack:
        one = stack.pop()
        if isinstance(one, list | tuple):
            stack.extend(reversed(one))
        elif isinstance(one, dict):
            stack.extend(one[key] for key in reversed(list(one)))
        elif one is not None:
            leaves.append(one)
    return leaves


def packed(structure: Any, leaves: Iterator[Any]) -> Any:
    """Returns a structure like the given one, with these leaves."""
    return mapped(structure, lambda _: next(leaves))


def mapped(structure: Any, function: Callable[[Any], Any]) -> Any:
    """Returns a structure of nested lists, tuples and dictionaries with a function applied to its leaves."""
    if isinstance(structure, dict):
        return {key: mapped(one, function) for key, one in structure.items()}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(mapped(one, function) for one in structure))
    if isinstance(structure, list | tuple):
        return type(structure)(mapped(one, function) for one in structure)
    return None if structure is None else function(structure)


def outline(structure: Any) -> Any:
    """Returns what a structure looks like without its leaves, to be compared."""
    if isinstance(structure, dict):
        return {key: outline(one) for key, one in structure.items()}
    if isinstance(structure, list | tuple):
        return [type(structure).__name__, *map(outline, structure)]
    return None if structure is None else "*"
