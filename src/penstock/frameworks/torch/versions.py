"""Counts writes by lines of the program outside recordings, by the versions of tensors."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

from penstock.frameworks.eager.parameter import Parameter, Registry
from penstock.trace.source_site import Site

ALONE = 3
"""The references to a tensor that only the count holds: the dictionary's, a variable's, an argument's."""
_version = attrgetter("_version")
Line = tuple[str, Site | None, tuple[str, ...]]
"""The writer, its line, and the causes of the change."""


class Versions:
    """The lines known to write each parameter, and the increase of the parameters' versions since.

    PyTorch numbers the versions of a tensor. It does not count writes through `.data` or to the statistics of
    a layer: `hidden` are the lines that make such writes, which are counted only in recorded steps.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._lines: dict[int, dict[Line, None]] = {}
        self._known: list[Parameter] = []
        self._references: list[Any] = []
        self._at: list[int] = []
        self._places: dict[int, int] = {}
        self._held: dict[int, Any] = {}
        self.hidden: dict[tuple[int, str, Site | None], Parameter] = {}
        self.renewed = 0

    def saw(self, parameter: Parameter, line: Line, hidden: bool) -> None:
        """Notes that a line writes a parameter."""
        if hidden:
            self.hidden[parameter.uid, line[0], line[1]] = parameter
        else:
            self._lines.setdefault(parameter.uid, {})[line] = None

    def renew(self) -> None:
        """Starts counting from the present versions of all tensors.

        Tensors with known writers are held until nothing else holds them: a program may end right after a
        write.
        """
        self._held = {one.uid: tensor for one, tensor in self._registry.living() if one.uid in self._lines}
        counted = [
            (one, tensor)
            for one, tensor in self._registry.living()
            if one.kind == "weight" and not tensor.is_inference()
        ]
        self._known = [one for one, _ in counted]
        self._references = [one.tensor for one in self._known]
        self._at = [tensor._version for _, tensor in counted]
        self._places = {one.uid: place for place, one in enumerate(self._known)}
        self.renewed += 1

    def places(self, parameters: Iterable[Parameter]) -> list[int]:
        """Returns the numbers by which parameters are counted, until everything is renewed."""
        return [place for one in parameters if (place := self._places.get(one.uid)) is not None]

    def follow(self, places: Iterable[int]) -> None:
        """Starts counting from these versions of some parameters, by their numbers."""
        references, at = self._references, self._at
        for place in places:
            tensor = references[place]()
            if tensor is not None:
                at[place] = tensor._version

    def advanced(self) -> Iterator[tuple[Parameter, Line | None]]:
        """Yields each write since then; the line is None if it is unknown."""
        if not self._held and self._now() == self._at:
            return
        for place, parameter in enumerate(self._known):
            uid, before = parameter.uid, self._at[place]
            tensor = parameter.tensor()
            now = before if tensor is None else tensor._version
            if uid in self._held and sys.getrefcount(tensor) <= ALONE:
                del self._held[uid]
            if now == before:
                continue
            self._at[place] = now
            lines = list(self._lines.get(uid, ()))
            for number in range(now - before if lines else 1):
                yield parameter, lines[number % len(lines)] if lines else None

    def _now(self) -> list[int]:
        """Returns the version of each tensor; for a dead one, its last version."""
        try:
            return list(map(_version, [one() for one in self._references]))
        except AttributeError:
            return [
                before if (tensor := one()) is None else tensor._version
                for one, before in zip(self._references, self._at, strict=True)
            ]


__all__ = ["Line", "Versions"]
