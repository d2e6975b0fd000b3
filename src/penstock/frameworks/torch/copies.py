"""What lines of the program copy into parameters: values that they had before, and of others."""

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
"""How many of them distinguish a value from the previous one."""

_unknown = itertools.count()
"""Numbers for tensors whose values cannot be read: no two are alike."""


class Copies:
    """The values that parameters began with, and lines that give them back."""

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
        """Notes some of the numbers that an update has left, to know them again."""
        self._left[parameter.uid] = _some(tensor)

    def begin_anew(self, original: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        """Loads the state of an optimizer, which says that going back is meant."""
        self._begun_anew = True
        return original(optimizer, *arguments, **options)

    def wrote(self, parameter: Parameter, tensor: Any, by: str, site: Site | None) -> None:
        """Notes that a line has given a parameter a new value."""
        if self._left.get(parameter.uid) == _some(tensor):
            self.source.note(Restored(by, site), [parameter])
            return
        first, few = self._first.get(parameter.uid, (None, None))
        moved = few is not None and self._left.get(parameter.uid, few) != few
        if moved and not self._begun_anew and print_of(tensor) == first:
            self.source.note(Undone(by, site, self._updates[parameter.uid]), [parameter])


def print_of(tensor: Any) -> int:
    """Returns a number that tells the values of a tensor from others."""
    try:
        flat = tensor.detach().reshape(-1)
        if flat.numel() > MOST:
            flat = flat[:: flat.numel() // MOST]
        return hash((tuple(tensor.shape), flat.to("cpu").contiguous().view(torch.uint8).numpy().tobytes()))
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        # Sparse tensors, those on no device, and subclasses with a memory of their own kind.
        return next(_unknown)


def _some(tensor: Any) -> list[Any]:
    """Returns a few numbers of a tensor, which are not the same twice."""
    try:
        flat = tensor.detach().reshape(-1)
        found: list[Any] = flat[:: max(flat.numel() // FEW, 1)].tolist()
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return [next(_unknown)]
    return found


__all__ = ["Copies", "print_of"]
