"""The modes of modules: the lines that have set training or inference mode, and the mode of each pass."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from types import FrameType
from typing import Any

from penstock.flow.noted import Inferring
from penstock.frameworks.eager.tensors import Tensors
from penstock.frameworks.places import here
from penstock.trace.source_site import Site

NEAR = 8
"""A layer is at most this many frames from the function that it calls."""
OFTEN = 2
"""This many passes in a row are no exception."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """A result of a layer, its mode, and the parameters of the module that was switched with it."""

    layer: weakref.ref[Any]
    number: int
    training: bool
    fact: Inferring
    held: list[weakref.ref[Any]]


class Modes:
    """The latest line that has switched each module."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._lines: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._with: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()
        self._roots: weakref.WeakKeyDictionary[Any, None] = weakref.WeakKeyDictionary()
        self._passes: list[_Pass] = []
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
            for _, one in self._tensors.named_modules(module):
                self._lines[one], self._with[one] = site, weakref.ref(module)
        return result

    def line(self, layer: Any) -> Site | None:
        """Returns the line that has switched a layer last, if one did."""
        return self._lines.get(layer) if layer is not None else None

    def is_inference(self, tensors: Iterable[Any]) -> bool:
        """Returns whether a module with one of these parameters was put into inference mode and still is."""
        wanted = {id(one) for one in tensors}
        return any(
            not root.training and any(id(one) in wanted for one in self._tensors.parameters(root))
            for root in self._roots
        )

    def passed(self, number: int | None) -> None:
        """Notes a result of a layer that works differently in the other mode."""
        layer = _layer_that_called(self._tensors)
        if (
            layer is None
            or number is None
            or not getattr(layer, "p", 1.0)
            or not self._tensors.is_recording()
        ):
            return
        held: list[Any] = []
        reference = self._with.get(layer)
        root = reference() if reference is not None else None
        if root is not None and not layer.training:
            held = [one for one in self._tensors.parameters(root) if self._tensors.is_trained(one)]
            # A layer that is switched alone, or belongs to a frozen part, is meant to stay in its mode.
            held = held if len(held) > len(list(self._tensors.parameters(layer))) else []
        fact = Inferring(here(3), self.line(layer))
        references = [weakref.ref(one) for one in held]
        self._passes.append(_Pass(weakref.ref(layer), number, layer.training, fact, references))

    def left(self, trained: Set[int]) -> list[tuple[Inferring, list[Any]]]:
        """Returns the passes that train in inference mode to the end, although they began in training mode.

        `trained` are the values on the path to a loss. Each pass comes with references to its parameters.
        """
        by_layer: dict[Any, list[_Pass]] = {}
        for one in self._passes:
            if one.number in trained:
                by_layer.setdefault(one.layer, []).append(one)
        self._passes.clear()
        found: dict[Inferring, list[Any]] = {}
        for passes in by_layer.values():
            modes = [one.training for one in passes]
            if len(modes) > OFTEN and modes[0] and not any(modes[-OFTEN:]) and passes[-1].held:
                found.setdefault(passes[-1].fact, passes[-1].held)
        return list(found.items())


def layer_around(tensors: Tensors, tensor: Any) -> Any:
    """Returns the module whose forward() has led here, if a tensor is registered as its own."""
    layer = _layer_that_called(tensors, 3)
    if layer is None:
        return None
    held = (*tensors.own_buffers(layer).values(), *tensors.own_parameters(layer).values())
    return layer if any(one is tensor for one in held) else None


def _layer_that_called(tensors: Tensors, depth: int = 2) -> Any:
    """Returns the innermost module whose forward() has led here, if it is near."""
    frame: FrameType | None = sys._getframe(depth)
    for _ in range(NEAR):
        if frame is None:
            return None
        owner = frame.f_locals.get("self")
        if isinstance(owner, tensors.Module):
            return owner
        frame = frame.f_back
    return None


__all__ = ["Modes", "layer_around"]
