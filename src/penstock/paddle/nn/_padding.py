"""Entries added around images, sequences and volumes, and the layers that add them."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions import resize
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn._function_layers import attribute
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here


@in_functional
def pad(
    x: Any, pad: Any, mode: str = "constant", value: float = 0.0, data_format: str = "NCHW",
    pad_from_left_axis: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with entries added around it.

    With a pair of widths for every axis, from the first to the last; with one for every spatial axis, from
    the last of them to the first; with another number of pairs for the last axes, from the last backwards, in
    the mode "constant". The others are "reflect", "replicate" and "circular".
    """
    x = operand(x)
    rank = len(x._spec.shape)
    widths = [
        int(one) for one in (pad if isinstance(pad, list | tuple) else np.asarray(operand(pad).numpy()))
    ]
    pairs = [(0, 0)] * rank
    count = len(widths) // 2
    if mode == "constant" and isinstance(pad, list | tuple) and count <= rank and count != rank - 2:
        ordered = list(zip(widths[::2], widths[1::2], strict=True))
        left = count == rank and pad_from_left_axis
        pairs = ordered if left else pairs[count:] + ordered[::-1]
    else:
        last = data_format in ("NLC", "NHWC", "NDHWC")
        spatial = list(range(1, rank - 1)) if last else list(range(2, rank))
        if len(widths) % 2 or len(widths) // 2 > len(spatial):
            raise InvalidValueError(
                f"pad: {len(widths)} widths were given for a tensor of {rank} axes.", site=here()
            )
        for axis, before, after in zip(spatial[::-1], widths[::2], widths[1::2], strict=False):
            pairs[axis] = (before, after)
    kinds = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "circular"}
    if mode not in kinds:
        raise InvalidValueError(
            f"mode should be one of constant, reflect, replicate, circular, but got {mode}.", site=here()
        )
    return resize.pad(x, pairs, kinds[mode], float(value))


@in_functional
def zeropad2d(x: Any, padding: Any, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns images with zeros added at the left, right, top and bottom."""
    return pad(x, padding, "constant", 0.0, data_format)


# -- layers ----------------------------------------------------------------------------------------------


class _Pad(Layer):
    """Entries added around the space of images."""

    padding, value = attribute("_pad"), attribute("_value")
    _axes = 2
    _format = "NCHW"

    def __init__(
        self, padding: Any, mode: str = "constant", value: float = 0.0, data_format: str | None = None,
        name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        widths = [padding] * (2 * self._axes) if isinstance(padding, int) else padding
        self._pad, self._value = widths, value
        self._mode, self._data_format = mode, data_format or self._format

    def forward(self, x: Any) -> Any:
        """Returns x with entries added."""
        return pad(x, self._pad, self._mode, self._value, self._data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return (
            f"padding={list(self._pad)}, mode={self._mode}, value={self._value}, "
            f"data_format={self._data_format}"
        )


@in_nn
class Pad1D(_Pad):
    """Entries added around sequences."""

    _axes, _format = 1, "NCL"


@in_nn
class Pad2D(_Pad):
    """Entries added around images."""


@in_nn
class ZeroPad2D(_Pad):
    """Zeros added around images."""

    def __init__(self, padding: Any, data_format: str = "NCHW", name: Any = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format)


@in_nn
class Pad3D(_Pad):
    """Entries added around volumes."""

    _axes, _format = 3, "NCDHW"


@in_nn
class ZeroPad1D(_Pad):
    """Zeros added around sequences."""

    _axes, _format = 1, "NCL"

    def __init__(self, padding: Any, data_format: str = "NCL", name: Any = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format)


@in_nn
class ZeroPad3D(_Pad):
    """Zeros added around volumes."""

    _axes, _format = 3, "NCDHW"

    def __init__(self, padding: Any, data_format: str = "NCDHW", name: Any = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format)
