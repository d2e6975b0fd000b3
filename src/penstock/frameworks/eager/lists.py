"""Lists of parameters that a program has made for its optimizers but passed to none."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from penstock.flow.bindings import bound_before
from penstock.flow.noted import LeftOut
from penstock.frameworks.eager.parameter import Parameter, Registry
from penstock.frameworks.eager.tensors import Tensors
from penstock.frameworks.held import entries
from penstock.frameworks.places import site_of

MANY = 1_000
"""Longer lists are not examined."""


class Lists:
    """The lists in scope when an optimizer was created."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._found: list[tuple[LeftOut, list[weakref.ref[Any]], dict[int, Parameter]]] = []

    def look(self, optimizer: Any, frame: FrameType | None) -> None:
        """Notes the lists from which an optimizer could have got parameters on the line of its creation."""
        made = site_of(frame)
        if frame is None or made is None:
            return
        held = {id(one) for held in self._tensors.groups_of(optimizer) for one in held}
        for name, thing in list(frame.f_locals.items()):
            tensors = list(self._parameters_in(thing))
            if tensors and not held.intersection(map(id, tensors)):
                site = bound_before(made, name)
                if site is not None:
                    references = [weakref.ref(one) for one in tensors]
                    self._found.append((LeftOut(name, site, made), references, {}))

    def follow(self, registry: Registry) -> None:
        """Finds the notes on these parameters, while the program still holds them."""
        for _, references, held in self._found:
            for reference in references:
                tensor = reference()
                known = registry.find(tensor) if tensor is not None else None
                if known is not None:
                    held[known.uid] = known

    def told(self, registry: Registry) -> Iterator[tuple[LeftOut, list[Parameter]]]:
        """Yields the lists, with the notes on the parameters in them."""
        self.follow(registry)
        for fact, _, held in self._found:
            if held:
                yield fact, list(held.values())
        self._found.clear()

    def _parameters_in(self, thing: Any) -> Iterator[Any]:
        """Yields the parameters of a list, or of a parameter group for optimizers."""
        if isinstance(thing, dict):
            thing = dict.get(thing, "params")
        if isinstance(thing, list | tuple):
            for _, one in entries(thing, MANY):
                if isinstance(one, self._tensors.Parameter):
                    yield one
                elif isinstance(one, dict):
                    yield from self._parameters_in(one)


__all__ = ["Lists"]
