"""Copies by lines of the program into parameters: of their own earlier values, and of others."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from penstock.flow.noted import Restored, Undone
from penstock.frameworks.eager.parameter import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.source import Eager
    from penstock.frameworks.eager.tensors import Tensors

MOST = 1 << 16
"""How many elements of a parameter distinguish its values."""

FEW = 16
"""How many elements distinguish a value from the previous one."""

_unknown = itertools.count()
"""Numbers for tensors whose values cannot be read: all different."""


class Copies:
    """The initial values of parameters, and lines that restore them."""

    def __init__(self, source: Eager) -> None:
        self.source, self._tensors = source, source.registry.tensors
        self._first: dict[int, tuple[int, Any]] = {}
        self._updates: dict[int, Site | None] = {}
        self._left: dict[int, Any] = {}
        self._begun_anew = False

    def before_update(self, parameter: Parameter, tensor: Any, site: Site | None) -> None:
        """Notes the value that a parameter has before its first update."""
        if parameter.uid not in self._first:
            self._first[parameter.uid] = print_of(self._tensors, tensor), _some(self._tensors, tensor)
        self._updates[parameter.uid] = site

    def after_update(self, parameter: Parameter, tensor: Any) -> None:
        """Notes some of the numbers after an update, to recognize them later."""
        self._left[parameter.uid] = _some(self._tensors, tensor)

    def begin_anew(self, original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        """Loads the state of an optimizer, which shows that a return to earlier values is intended."""
        self._begun_anew = True
        return original(optimizer, *arguments, **options)

    def wrote(self, parameter: Parameter, tensor: Any, by: str, site: Site | None) -> None:
        """Notes that a line has assigned a new value to a parameter."""
        if self._left.get(parameter.uid) == _some(self._tensors, tensor):
            self.source.note(Restored(by, site), [parameter])
            return
        first, few = self._first.get(parameter.uid, (None, None))
        moved = few is not None and self._left.get(parameter.uid, few) != few
        if moved and not self._begun_anew and print_of(self._tensors, tensor) == first:
            self.source.note(Undone(by, site, self._updates[parameter.uid]), [parameter])


def print_of(tensors: Tensors, tensor: Any) -> int:
    """Returns a number that identifies the values of a tensor."""
    found = tensors.bytes_of(tensor, MOST)
    return next(_unknown) if found is None else hash((tensors.shape(tensor), found))


def _some(tensors: Tensors, tensor: Any) -> Any:
    """Returns a few numbers of a tensor, which differ between different values."""
    found = tensors.bytes_of(tensor, FEW)
    return next(_unknown) if found is None else found


__all__ = ["Copies", "print_of"]
