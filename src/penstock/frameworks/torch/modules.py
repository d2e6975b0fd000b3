"""Operations on a whole module: converting it, and loading its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from penstock.frameworks.eager import modules
from penstock.frameworks.places import here

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch


class Modules(modules.Modules):
    """Conversions and loads, each reported once for the module."""

    source: Torch

    def convert(self, original: Callable[..., Any], module: Any, *arguments: Any, **options: Any) -> Any:
        """Converts a module, and notes parameters that were replaced by others."""
        site = here(2)
        before = [(one, name, tensor) for one in module.modules() for name, tensor in one._parameters.items()]
        recording, self.source.recording = self.source.recording, False
        try:
            return original(module, *arguments, **options)
        finally:
            self.source.recording = recording
            for one, name, tensor in before:
                after = one._parameters.get(name)
                if tensor is not None and after is not tensor:
                    self.source.registry.note_replaced(one, name, tensor, site)
                    if after is not None:
                        self.source.registry.note_made(after, site)
                        self.source.registry.ties.put(one, name, after, self.source.registry.of, site)

    def load(self, original: Callable[..., Any], module: Any, *arguments: Any, **options: Any) -> Any:
        """Loads a module, and reports the value written into each tensor."""
        site = here(2)
        given = arguments[0] if arguments else options.get("state_dict", {})
        held = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        recording, self.source.recording = self.source.recording, False
        try:
            result = original(module, *arguments, **options)
        finally:
            self.source.recording = recording
        self.loaded(held, given, "load_state_dict", site)
        return result


__all__ = ["Modules"]
