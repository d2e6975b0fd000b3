"""Counts what lines of the program write into parameters when nobody records, by the versions of tensors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from penstock.frameworks.torch.parameter import Parameter, Registry
from penstock.trace.site import Site

ALONE = 3
"""References to a tensor that nobody holds but the count: the dictionary's, a variable's, an argument's."""
Line = tuple[str, Site | None, tuple[str, ...]]
"""What writes, where, and the causes of the change."""


class Versions:
    """The lines that were seen to write each parameter, and how far the parameters have come since.

    PyTorch numbers the versions of a tensor. It counts no write through `.data` or to the statistics of a
    layer: `hidden` are the lines that do such, of which only those in recorded steps are counted.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._lines: dict[int, dict[Line, None]] = {}
        self._at: dict[int, tuple[Parameter, int]] = {}
        self._held: dict[int, Any] = {}
        self.hidden: dict[tuple[int, str, Site | None], Parameter] = {}

    def saw(self, parameter: Parameter, line: Line, hidden: bool) -> None:
        """Notes that a line writes a parameter."""
        if hidden:
            self.hidden[parameter.uid, line[0], line[1]] = parameter
        else:
            self._lines.setdefault(parameter.uid, {})[line] = None

    def renew(self) -> None:
        """Takes the versions that everything has now as those from which to count.

        What lines are known to write is held until nobody else does: a program may end right after a write.
        """
        self._held = {one.uid: tensor for one, tensor in self._registry.living() if one.uid in self._lines}
        self._at = {
            one.uid: (one, tensor._version)
            for one, tensor in self._registry.living()
            if one.kind == "weight" and not tensor.is_inference()
        }

    def follow(self, tensors: list[Any]) -> None:
        """Takes the versions of some tensors as those from which to count."""
        for tensor in tensors:
            parameter = self._registry.find(tensor)
            if parameter is not None and parameter.uid in self._at:
                self._at[parameter.uid] = parameter, tensor._version

    def advanced(self) -> Iterator[tuple[Parameter, Line | None]]:
        """Yields what was written since, as often as it was; the line is None where none is known."""
        for uid, (parameter, before) in self._at.items():
            tensor = parameter.tensor()
            now = before if tensor is None else tensor._version
            if uid in self._held and sys.getrefcount(tensor) <= ALONE:
                del self._held[uid]
            if now == before:
                continue
            self._at[uid] = parameter, now
            lines = list(self._lines.get(uid, ()))
            for number in range(now - before if lines else 1):
                yield parameter, lines[number % len(lines)] if lines else None


__all__ = ["Line", "Versions"]
