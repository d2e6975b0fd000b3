"""The arguments of a watched block: modules, tensors and optimizers that were created before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from penstock.frameworks.eager.source import Eager
from penstock.frameworks.leaves import leaves


def tell(source: Eager, given: Mapping[str, Any], optimizer_kind: type) -> None:
    """Tells a started source about existing things, by the names they were passed under.

    The lines that created them are unknown.
    """
    registry, tensors = source.registry, source.registry.tensors
    optimizers = []

    def trained(thing: Any) -> Iterable[Any]:
        if isinstance(thing, tensors.Module):
            return tensors.parameters(thing)
        if isinstance(thing, optimizer_kind):
            return tensors.parameters_of(thing)
        return [thing] if isinstance(thing, tensors.Tensor) else []

    for name, thing in given.items():
        for one in leaves(thing):
            if isinstance(one, optimizer_kind):
                optimizers.append(one)
            for tensor in trained(one):
                source.sink.created(registry.of(tensor), "")
            if isinstance(one, tensors.Module):
                registry.note_home(name, one)
                for _, module in tensors.named_modules(one):
                    for own, parameter in tensors.own_parameters(module).items():
                        if parameter is not None:
                            source.note_given(module, own, parameter)
        registry.name_thing(name, thing)
    for optimizer in optimizers:
        registry.name_rest(optimizer)
        for tensor in trained(optimizer):
            source.sink.subject(registry.of(tensor)).owned = True
    for parameter, _ in registry.living():
        source.sink.subject(parameter).path = parameter.path


__all__ = ["tell"]
