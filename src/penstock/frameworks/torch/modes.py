"""The modes of modules: which line has put which into training or inference, and who runs in which."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import torch

from penstock.frameworks.places import here
from penstock.trace.site import Site

NEAR = 8
"""A layer stands so many frames at most from the function that it calls."""


class Modes:
    """The lines that have switched modules, the latest of each."""

    def __init__(self) -> None:
        self._lines: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._roots: weakref.WeakKeyDictionary[Any, None] = weakref.WeakKeyDictionary()
        self._depth = 0

    def switch(self, original: Callable[..., Any], module: Any, *arguments: Any, **options: Any) -> Any:
        """Switches a module, and notes the line for all modules in it."""
        self._depth += 1
        try:
            result = original(module, *arguments, **options)
        finally:
            self._depth -= 1
        if not self._depth:
            site = here(2)
            self._roots[module] = None
            for one in module.modules():
                self._lines[one] = site
        return result

    def line(self, layer: Any) -> Site | None:
        """Returns the line that has switched a layer last, if one did."""
        return self._lines.get(layer) if layer is not None else None

    def is_inference(self, tensors: Iterable[Any]) -> bool:
        """Returns whether a module that has one of these parameters was put into inference, and is in it."""
        wanted = {id(one) for one in tensors}
        return any(
            not root.training and any(id(one) in wanted for one in root.parameters()) for root in self._roots
        )


def layer_around(tensor: Any) -> Any:
    """Returns the module whose forward() has led here, if it has a tensor among its buffers."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(NEAR):
        if frame is None:
            return None
        owner = frame.f_locals.get("self")
        if isinstance(owner, torch.nn.Module) and any(one is tensor for one in owner._buffers.values()):
            return owner
        frame = frame.f_back
    return None


__all__ = ["Modes", "layer_around"]
