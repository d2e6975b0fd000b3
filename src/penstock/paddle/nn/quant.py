"""`paddle.nn.quant` on a processor: the placeholder for a quantizer. Its kernels are for GPUs."""

from __future__ import annotations

from typing import Any

from penstock.paddle._errors import NotThereError
from penstock.paddle._names import absent
from penstock.paddle.nn._layer import Layer
from penstock.trace.source_site import here


class Stub(Layer):
    """A layer that gives its input back, in the place of an observer that quantization would put there.

    >>> from penstock import paddle
    >>> paddle.nn.quant.Stub()(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """

    def __init__(self, observer: Any = None) -> None:
        super().__init__()
        self._observer = observer

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        return input


def _of_devices(name: str) -> Any:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise NotThereError(
            f"paddle.nn.quant.{name} is not there.",
            why="In Paddle it is a kernel of some GPUs, which no processor has.",
            remedy="Keep the weights in floating point: paddle.nn.functional.linear(x, weight, bias).",
            site=here(),
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raises NotImplementedError: in Paddle it is a kernel of some GPUs."
    return refuse


weight_only_linear, llm_int8_linear = _of_devices("weight_only_linear"), _of_devices("llm_int8_linear")
weight_quantize, weight_dequantize = _of_devices("weight_quantize"), _of_devices("weight_dequantize")
__all__ = ["Stub", "llm_int8_linear", "weight_dequantize", "weight_only_linear", "weight_quantize"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.nn.quant", name, __all__)
