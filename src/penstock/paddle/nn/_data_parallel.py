"""A layer under the name that training on several machines gives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from penstock.paddle._declaring import in_paddle
from penstock.paddle.nn._layer import Layer


@in_paddle
class DataParallel(Layer):
    """A layer unchanged, under the name for training on several machines; `options` do nothing."""

    def __init__(self, layers: Any, **options: Any) -> None:
        super().__init__()
        self._layers = layers

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Calls the layer."""
        return self._layers(*inputs, **options)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context in which gradients are not summed over processes: there is one, so it does nothing."""
        yield

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss, which is that of all processes."""
        return loss

    def apply_collective_grads(self) -> None:
        """Does nothing: the gradients of the one process are those of all."""

    def state_dict(self, *arguments: Any, **options: Any) -> Any:
        """Returns the state of the layer, without a name for this one."""
        return self._layers.state_dict(*arguments, **options)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """Loads values by path into the layer; returns the missing and the unknown paths."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict
