"""Axes, channels and pixels in another order, and the layers that arrange them."""

from __future__ import annotations

import sys
from typing import Any

from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.paddle import _creation, _manipulation, _matrices
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._joining import unflatten
from penstock.paddle._tensor import as_result
from penstock.paddle.nn._function_layers import layer_of
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@composite(1, "pixel_shuffle")
def _shuffled(x: Any, factor: int) -> Tensor:
    batch, channels, height, width = x.shape
    x = native.reshape(x, (batch, channels // factor**2, factor, factor, height, width))
    x = native.permute_dims(x, (0, 1, 4, 2, 5, 3))
    return native.reshape(x, (batch, channels // factor**2, height * factor, width * factor))


@in_functional
def pixel_shuffle(x: Any, upscale_factor: int, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns images whose channels have become blocks of pixels."""
    x = operand(x)
    last = _channels_last("pixel_shuffle", x, data_format)
    if not last:
        return _shuffled(x, int(upscale_factor))
    turned = native.permute_dims(x, (0, 3, 1, 2))
    return native.permute_dims(_shuffled(turned, int(upscale_factor)), (0, 2, 3, 1))


def _channels_last(name: str, x: Any, data_format: str) -> bool:
    if data_format not in ("NCHW", "NHWC") or len(x._spec.shape) != 4:
        raise InvalidValueError(
            f"{name} takes images [N, C, H, W] or [N, H, W, C], but received a tensor of shape "
            f"{list(x._spec.shape)} with data_format {data_format!r}.",
            site=here(),
        )
    return data_format == "NHWC"


@in_functional
def channel_shuffle(x: Any, groups: int, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns images whose channels take turns from each of the groups."""
    x = operand(x)
    if data_format == "NHWC":
        n, h, w, c = x._spec.shape
        parts = x.reshape([n, h, w, groups, c // groups]).transpose([0, 1, 2, 4, 3])
    else:
        n, c, h, w = x._spec.shape
        parts = x.reshape([n, groups, c // groups, h, w]).transpose([0, 2, 1, 3, 4])
    return as_result(parts.reshape(list(x._spec.shape)), _frame(1))


@in_functional
def pixel_unshuffle(x: Any, downscale_factor: int, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns smaller images with more channels: the inverse of `pixel_shuffle`."""
    x, r = operand(x), downscale_factor
    if data_format == "NHWC":
        n, h, w, c = x._spec.shape
        parts = x.reshape([n, h // r, r, w // r, r, c]).transpose([0, 1, 3, 5, 2, 4])
        return as_result(parts.reshape([n, h // r, w // r, c * r * r]), _frame(1))
    n, c, h, w = x._spec.shape
    parts = x.reshape([n, c, h // r, r, w // r, r]).transpose([0, 1, 3, 5, 2, 4])
    return as_result(parts.reshape([n, c * r * r, h // r, w // r]), _frame(1))


@in_functional
def temporal_shift(
    x: Any, seg_num: int, shift_ratio: float = 0.25, name: Any = None, data_format: str = "NCHW"
) -> Any:
    """Returns frames of which some channels come from the frame before, and some from the one after."""
    x = operand(x)
    if data_format == "NHWC":
        return temporal_shift(x.transpose([0, 3, 1, 2]), seg_num, shift_ratio).transpose([0, 2, 3, 1])
    count, channels, height, width = x._spec.shape
    frames = x.reshape([count // seg_num, seg_num, channels, height, width])
    first, second = int(channels * shift_ratio), int(channels * 2 * shift_ratio)
    empty = _creation.zeros([count // seg_num, 1, channels, height, width], x._spec.dtype.name)
    before = _manipulation.concat([empty, frames[:, :-1]], 1)
    after = _manipulation.concat([frames[:, 1:], empty], 1)
    parts = [before[:, :, :first], after[:, :, first:second], frames[:, :, second:]]
    return _manipulation.concat(parts, 2).reshape([count, channels, height, width])


# -- layers ----------------------------------------------------------------------------------------------

PixelShuffle = layer_of("PixelShuffle", pixel_shuffle, "upscale_factor data_format")
PixelUnshuffle = layer_of("PixelUnshuffle", pixel_unshuffle, "downscale_factor data_format")
ChannelShuffle = layer_of("ChannelShuffle", channel_shuffle, "groups data_format")


@in_nn
class Identity(Layer):
    """Returns its input; `arguments` and `options` do nothing."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        return input


@in_nn
class Flatten(Layer):
    """Makes some axes one: all but the first."""

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Any) -> Any:
        """Returns the input with fewer axes."""
        return _manipulation.flatten(input, self.start_axis, self.stop_axis)


@in_nn
class Unflatten(Layer):
    """One axis as several."""

    def __init__(self, axis: int, shape: Any, name: Any = None) -> None:
        super().__init__()
        self.axis, self.shape, self.name = axis, shape, name

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"axis={self.axis}, shape={self.shape}"

    def forward(self, input: Any) -> Any:
        """Returns the input with more axes."""

        return unflatten(input, self.axis, self.shape)


@in_functional
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Returns matrices whose diagonals are the last axis: as `paddle.diag_embed`."""
    return _matrices.diag_embed(input, offset, dim1, dim2)
