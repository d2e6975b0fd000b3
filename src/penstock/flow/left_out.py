"""Lists of variables in a program other than the one that an optimizer received."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from types import FrameType
from typing import Any

from penstock.flow.bindings import bound_before
from penstock.flow.noted import LeftOut
from penstock.trace.source_site import Site
from penstock.trace.tensor import Cell

MANY = 1_000
"""Longer lists are not examined."""


def lists_beside(
    made: Site | None, frame: FrameType | None, held: Set[int]
) -> Iterator[tuple[LeftOut, list[Any]]]:
    """Yields the named lists at an optimizer's step that contain none of its variables.

    `made` is the line that created the optimizer, `frame` the user's, `held` the numbers of its variables.
    """
    if made is None or frame is None or frame.f_code.co_filename != made.file:
        return
    for name, thing in list(frame.f_locals.items()):
        found = list(_variables_in(thing))
        if found and not any(one._uid in held for one in found):
            site = bound_before(made, name)
            if site is not None:
                yield LeftOut(name, site, made), found


def _variables_in(thing: Any) -> Iterator[Any]:
    """Yields the variables of a list, or of a parameter group for optimizers."""
    if isinstance(thing, Mapping):
        thing = thing.get("params")
    if isinstance(thing, list | tuple) and len(thing) <= MANY:
        for one in thing:
            if isinstance(one, Cell):
                yield one
            elif isinstance(one, Mapping):
                yield from _variables_in(one)


__all__ = ["lists_beside"]
