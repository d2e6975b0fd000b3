"""What lists, dictionaries and objects of a program hold, looked up without running code of the program."""

from __future__ import annotations

from typing import Any


def entries(thing: Any, most: int) -> list[tuple[Any, Any]]:
    """Returns the keys and elements of a list, tuple or dictionary; nothing if it is longer than `most`.

    Subclasses may define these methods themselves, and raise errors or compute something in them.
    """
    if isinstance(thing, dict):
        return list(dict.items(thing)) if dict.__len__(thing) <= most else []
    if isinstance(thing, list):
        return list(enumerate(list.__iter__(thing))) if list.__len__(thing) <= most else []
    if isinstance(thing, tuple):
        return list(enumerate(tuple.__iter__(thing))) if tuple.__len__(thing) <= most else []
    return []


def attributes(thing: Any) -> list[tuple[str, Any]]:
    """Returns the names and values of an object's own attributes."""
    try:
        own = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return []
    return list(own.items()) if isinstance(own, dict) else []


__all__ = ["attributes", "entries"]
