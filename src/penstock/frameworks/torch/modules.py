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
        self._replaced = False

    def put(self, owner: Any, name: str, module: Any) -> None:
        """Notes that a module gets another one under a name: an optimizer may hold parameters of the old one.

        Those that the new one contains, or that stay elsewhere in the owner, are not replaced. A module
        without parameters, such as nn.Identity, replaces none.
        """
        old = owner._modules.get(name)
        if not isinstance(module, torch.nn.Module) or old is module or (old is None and not self._replaced):
            return
        registry = self.source.registry
        new = [one for _, one in torch.nn.Module.named_parameters(module)]
        if self._replaced:
            for tensor in new:
                if (known := registry.find(tensor)) is not None:
                    known.replaced = None
        if old is None or not any(one.requires_grad for one in new):
            return
        kept = {id(one) for one in new}
        for key, other in owner._modules.items():
            if key != name and other is not None:
                kept.update(id(one) for _, one in torch.nn.Module.named_parameters(other))
        held = self.source.updates.holds()
        for path, tensor in torch.nn.Module.named_parameters(old):
            if id(tensor) in held and id(tensor) not in kept:
                self._replaced = True
                registry.note_replaced(owner, f"{name}.{path}", tensor, here(3))

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
