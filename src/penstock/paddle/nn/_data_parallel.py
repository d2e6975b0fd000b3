"""A layer under the name that training on several machines gives it."""

from __future__ import annotations

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
