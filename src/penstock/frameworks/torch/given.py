"""The arguments of a watched block: modules, tensors and optimizers that were created before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from penstock.frameworks.leaves import leaves
from penstock.frameworks.torch.source import Torch


def register(source: Torch, given: Mapping[str, Any]) -> None:
    """Tells a started source about existing things, by the names they were passed under.

    The lines that created them are unknown.
    """
    registry = source.registry
    optimizers = []
    for name, thing in given.items():
        for one in leaves(thing):
            if isinstance(one, torch.optim.Optimizer):
                optimizers.append(one)
            for tensor in _tensors(one):
                source.sink.created(registry.of(tensor), "")
            if isinstance(one, torch.nn.Module):
                registry.note_home(name, one)
                for module in one.modules():
                    for own, parameter in module._parameters.items():
                        if parameter is not None:
                            registry.note_registered(module, own, parameter, None)
        registry.name_thing(name, thing)
    for optimizer in optimizers:
        registry.name_rest(optimizer)
        for tensor in _tensors(optimizer):
            source.sink.subject(registry.of(tensor)).owned = True
    for parameter, _ in registry.living():
        source.sink.subject(parameter).path = parameter.path


def _tensors(thing: Any) -> Iterator[Any]:
    """Yields the tensors that a thing trains."""
    if isinstance(thing, torch.nn.Module):
        yield from thing.parameters()
    elif isinstance(thing, torch.optim.Optimizer):
        for group in thing.param_groups:
            yield from group["params"]
    elif isinstance(thing, torch.Tensor):
        yield thing


__all__ = ["register"]
