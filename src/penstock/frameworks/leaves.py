"""The contents of lists and mappings of models, variables and optimizers that a program passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def leaves(thing: Any) -> Iterator[Any]:
    """Yields the things in nested lists, tuples and mappings, in order, including None."""
    if isinstance(thing, Mapping):
        thing = thing.values()
    elif not isinstance(thing, list | tuple):
        yield thing
        return
    for one in thing:
        yield from leaves(one)


__all__ = ["leaves"]
