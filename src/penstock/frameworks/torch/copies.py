"""Copies by lines of the program into parameters: of their own earlier values, and of others."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import torch

from penstock.flow.noted import Restored, Undone
from penstock.frameworks.torch.parameter import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch

MOST = 1 << 16
"""How many elements of a parameter distinguish its values."""

FEW = 16
"""How many elements distinguish a value from the previous one."""

_unknown = itertools.count()
"""Numbers for tensors whose values cannot be read: all different."""


class Copies:
    """The initial values of parameters, and lines that restore them."""

    def __init__(self, source: Torch) -> None:
        self.source = source
        self._first: dict[int, tuple[int, list[Any]]] = {}
        self._updates: dict[int, Site | None] = {}
        self._left: dict[int, list[Any]] = {}
        self._begun_anew = False

    def before_update(self, parameter: Parameter, tensor: Any, site: Site | None) -> None:
        """Notes the value that a parameter has before its first update."""
        if parameter.uid not in self._first:
            self._first[parameter.uid] = print_of(tensor), _some(tensor)
        self._updates[parameter.uid] = site

    def after_update(self, parameter: Parameter, tensor: Any) -> None:
        """Notes some of the numbers after an update, to recognize them later."""
        self._left[parameter.uid] = _some(tensor)

    def begin_anew(self, original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        """Loads the state of an optimizer, which shows that a return to earlier values is intended."""
        self._begun_anew = True
        return original(optimizer, *arguments, **options)

    def wrote(self, parameter: Parameter, tensor: Any, by: str, site: Site | None) -> None:
        """Notes that a line has assigned a new value to a parameter."""
        if self._left.get(parameter.uid) == _some(tensor):
            self.source.note(Restored(by, site), [parameter])
            return
        first, few = self._first.get(parameter.uid, (None, None))
        moved = few is not None and self._left.get(parameter.uid, few) != few
        if moved and not self._begun_anew and print_of(tensor) == first:
            self.source.note(Undone(by, site, self._updates[parameter.uid]), [parameter])


def print_of(tensor: Any) -> int:
    """Returns a number that identifies the values of a tensor."""
    try:
        flat = tensor.detach().reshape(-1)
        if flat.numel() > MOST:
            flat = flat[:: flat.numel() // MOST]
        return hash((tuple(tensor.shape), flat.to("cpu").contiguous().view(torch.uint8).numpy().tobytes()))
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        # Sparse tensors, those on the meta device, and subclasses with a special kind of memory.
        return next(_unknown)


def _some(tensor: Any) -> list[Any]:
    """Returns a few numbers of a tensor, which differ between different values."""
    try:
        flat = tensor.detach().reshape(-1)
        found: list[Any] = flat[:: max(flat.numel() // FEW, 1)].tolist()
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return [next(_unknown)]
    return found


__all__ = ["Copies", "print_of"]
