"""Layers and functions that Paddle fuses on a GPU; here they are composed of their parts."""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import absent
from penstock.paddle.incubate.nn import functional
from penstock.paddle.nn._layer import Standard as Layer


class FusedLinear(Layer):
    """A linear layer; with `transpose_weight` its weight is [outputs, inputs]."""

    def __init__(
        self, in_features: int, out_features: int, weight_attr: Any = None, bias_attr: Any = None,
        transpose_weight: bool = False, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        lengths = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight = self.create_parameter(lengths, weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.transpose_weight = transpose_weight

    def forward(self, input: Any) -> Any:
        """Returns the input times the weight, and the bias."""
        return functional.fused_linear(input, self.weight, self.bias, self.transpose_weight)


class FusedDropoutAdd(Layer):
    """x with elements dropped, plus y."""

    def __init__(self, p: float = 0.5, mode: str = "upscale_in_train", name: Any = None) -> None:
        super().__init__()
        self.p, self.mode = p, mode

    def forward(self, x: Any, y: Any) -> Any:
        """Returns dropout(x) + y."""
        return functional.fused_dropout_add(x, y, self.p, self.training, self.mode)


__all__ = ["FusedDropoutAdd", "FusedLinear", "functional"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.incubate.nn", name, __all__)
