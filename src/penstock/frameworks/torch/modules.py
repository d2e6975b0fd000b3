"""Operations on a whole module: converting it, and loading its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch

from penstock.frameworks.places import here, user_frames
from penstock.frameworks.torch.links import memory
from penstock.frameworks.torch.parameter import Parameter
from penstock.frameworks.torch.told import Written

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch


class Modules:
    """Conversions and loads, each reported once for the module."""

    def __init__(self, source: Torch) -> None:
        self.source = source

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
        if not self.source.began:
            return result
        self.source.registry.name(user_frames(2))
        writes: list[Written] = []
        loaded: list[Parameter] = []
        event = next(self.source.events)
        for name, tensor in held.items():
            source = given.get(name) if isinstance(given, Mapping) else None
            if not isinstance(source, torch.Tensor):
                continue
            parameter = self.source.registry.of(tensor, "weight" if tensor.requires_grad else "state")
            loaded.append(parameter)
            itself = source is not tensor and memory(source) == memory(tensor)
            amount = 0.0 if itself else None
            writes.append(
                Written(parameter, "load_state_dict", site, "write", ("load",), event, amount, idle=itself)
            )
        if self.source.window is not None:
            self.source.window.forget_reads(loaded)
        self.source.tell(writes)
        for one in writes:
            tensor = one.variable.tensor()
            if tensor is not None and not one.idle:
                self.source.copies.wrote(one.variable, tensor, one.by, site)
        return result


__all__ = ["Modules"]
