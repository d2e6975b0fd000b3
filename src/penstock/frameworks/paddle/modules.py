"""Operations on a whole layer of PaddlePaddle: what it gets, and loading its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from penstock.frameworks.eager import modules
from penstock.frameworks.places import here

if TYPE_CHECKING:
    from penstock.frameworks.paddle.source import Paddle

STATISTICS = ("_mean", "_variance", "weight_u", "weight_v")
"""Parameters of PaddlePaddle's own layers that no gradient trains."""


class Modules(modules.Modules):
    """Conversions and loads, each reported once for the layer."""

    source: Paddle

    def set_attribute(self, original: Callable[..., Any], layer: Any, name: str, value: Any) -> None:
        """Sets an attribute of a layer, and notes parameters and layers that it gets."""
        if isinstance(value, self.tensors.Module) and "_sub_layers" in vars(layer):
            self.put(layer, name, value)
        original(layer, name, value)
        if isinstance(value, self.tensors.Tensor):
            self.registered(layer, name, value)
        elif (name == "stop_gradient" and value is True) or (name == "trainable" and value is False):
            self.source.by_hand.note_attribute(layer, name)

    def add(
        self, original: Callable[..., Any], layer: Any, name: str, value: Any, *rest: Any, **named: Any
    ) -> Any:
        """Adds a parameter, a buffer or a layer to a layer, and notes it."""
        if isinstance(value, self.tensors.Module):
            self.put(layer, name, value)
        result = original(layer, name, value, *rest, **named)
        if isinstance(value, self.tensors.Tensor):
            self.registered(layer, name, value)
        return result

    def registered(self, layer: Any, name: str, tensor: Any) -> None:
        """Notes that a layer has got a tensor."""
        registry = self.source.registry
        registry.note_registered(layer, name, tensor, here(2), self.source.sink.steps.count)
        self.note_kind(layer, name, tensor)

    def note_kind(self, layer: Any, name: str, tensor: Any) -> None:
        """Notes a statistic of one of PaddlePaddle's own layers."""
        if name in STATISTICS and type(layer).__module__.startswith("paddle."):
            self.source.registry.of(tensor, "state").kind = "state"

    def load(self, original: Callable[..., Any], layer: Any, *arguments: Any, **options: Any) -> Any:
        """Loads a layer, and reports the value written into each tensor."""
        if not self.source.is_typed():
            return original(layer, *arguments, **options)
        site = here(2)
        given = arguments[0] if arguments else options.get("state_dict", {})
        held = dict(self.tensors.named_tensors(layer))
        with self.source.quiet():
            result = original(layer, *arguments, **options)
            self.loaded(held, given, "set_state_dict", site)
        return result

    def convert(self, original: Callable[..., Any], layer: Any, *arguments: Any, **options: Any) -> Any:
        """Converts a layer, which is no write."""
        with self.source.quiet():
            return original(layer, *arguments, **options)


__all__ = ["Modules"]
