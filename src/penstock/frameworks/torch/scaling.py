"""Losses that are scaled before their backward pass, and clipped gradients: how often, and when."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from penstock.flow.bounds import MOST
from penstock.flow.noted import Clipped
from penstock.frameworks.places import here
from penstock.frameworks.torch.amounts import parameters_of
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch


class Scaling:
    """The scaled losses of a program, while it is recorded."""

    def __init__(self, source: Torch) -> None:
        self.source = source
        self._scaled: dict[int, weakref.ref[Any]] = {}

    def scale(self, original: Callable[..., Any], scaler: Any, *arguments: Any, **options: Any) -> Any:
        """Scales losses, and notes them."""
        result = original(scaler, *arguments, **options)
        if self.source.window is not None and scaler.is_enabled() and scaler.get_scale() != 1.0:
            for one in [result] if isinstance(result, torch.Tensor) else list(result):
                if isinstance(one, torch.Tensor):
                    self._scaled[id(one)] = weakref.ref(one)
        return result

    def is_scaled(self, roots: Sequence[Any]) -> bool:
        """Returns whether one of these is a scaled loss; forgets those that are gone."""
        self._scaled = {key: one for key, one in self._scaled.items() if one() is not None}
        return any(id(one) in self._scaled for one in roots)

    def unscale(self, original: Callable[..., Any], scaler: Any, optimizer: Any) -> Any:
        """Removes the scale from the gradients that an optimizer will apply."""
        result = original(scaler, optimizer)
        for one in parameters_of(optimizer) if self.source.window is not None else ():
            for call in self.source.gradients.given(one):
                call.unscaled.add(id(one))
        return result

    def clip(self, original: Callable[..., Any], parameters: Any, *arguments: Any, **options: Any) -> Any:
        """Clips gradients, and notes those that still contain the scale of their loss."""
        held = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        for one in held if self.source.window is not None else ():
            for call in self.source.gradients.given(one):
                if call.scaled and id(one) not in call.unscaled:
                    self.source.note(Clipped(here(2), call.site), [self.source.registry.of(one)])
        if self.source.window is not None:
            self._note_bound(held, _limit(arguments, options), here(2))
        name, limit = original.__name__, _limit(arguments, options)
        active = self._is_beyond(held, limit) if name == "clip_grad_value_" else None
        result = original(parameters if isinstance(parameters, torch.Tensor) else held, *arguments, **options)
        plain = type(result) is torch.Tensor
        if name == "clip_grad_norm_" and plain and (self.source.window is not None or result.is_cpu):
            # Values on a device are fetched only in recorded steps.
            with torch._C.DisableTorchFunction():
                active = bool(result.item() > limit)
        if active is not None:
            self.source.sink.clipped(name, here(2), active)
        return result

    def _note_bound(self, tensors: Sequence[Any], limit: float, site: Site | None) -> None:
        """Notes which backward passes have left the gradients that a line clips."""
        gradients, find = self.source.gradients, self.source.registry.find
        held = [(known, gradients.given(one)) for one in tensors if (known := find(one)) is not None]
        if limit <= MOST and held:
            empty = not self._is_beyond(tensors, 0.0)
            gradients.bounds.clip(site, held, empty)

    def _is_beyond(self, tensors: Sequence[Any], limit: float) -> bool | None:
        """Returns whether a gradient has a number beyond a limit; None outside a recording."""
        if self.source.window is None:
            return None
        with torch._C.DisableTorchFunction(), torch.no_grad():
            return any(
                one.grad is not None and one.grad.numel() and float(one.grad.abs().max()) > limit
                for one in tensors
            )


def _limit(arguments: Sequence[Any], options: Mapping[str, Any]) -> float:
    given = arguments[0] if arguments else options.get("max_norm", options.get("clip_value"))
    return float(given)


__all__ = ["Scaling"]
