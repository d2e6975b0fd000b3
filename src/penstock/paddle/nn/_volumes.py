"""Volumes, for which few programs ask: transposed convolution, unpooling, normalisation."""

from __future__ import annotations

from typing import Any

from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle.nn._adaptive_pooling import _unpool
from penstock.paddle.nn._convolution import _Back, convolved_back
from penstock.paddle.nn._function_layers import layer_of_several
from penstock.paddle.nn._norm_layers import InstanceNorm2D


@in_functional
def conv3d_transpose(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1, output_size: Any = None, data_format: str = "NCDHW",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x [N, C, D, H, W] convolved the other way, with a weight [C, filters / groups, *lengths]."""
    return convolved_back(
        x, weight, bias, 3, stride, padding, output_padding, groups, dilation, output_size, data_format
    )


@in_functional
def max_unpool3d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCDHW",
    output_size: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns zeros with the elements of x at the places that max_pool3d gave; `data_format` is "NCDHW"."""
    return _unpool(x, indices, 3, kernel_size, stride, padding, output_size)


@in_nn
class Conv3DTranspose(_Back):
    """The gradient of a convolution as a layer: [N, C, D, H, W] becomes larger."""

    _rank = 3

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, dilation: Any = 1, groups: int = 1, weight_attr: Any = None,
        bias_attr: Any = None, data_format: str = "NCDHW",
    ) -> None:  # fmt: skip
        self._prepare(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups,
            "zeros", weight_attr, bias_attr, data_format,
        )  # fmt: skip


@in_nn
class InstanceNorm3D(InstanceNorm2D):
    """Mean 0 and variance 1 over the space of each volume and channel, then a scale and a bias."""

    def __init__(
        self, num_features: int, *arguments: Any, data_format: str = "NCDHW", **options: Any
    ) -> None:
        super().__init__(num_features, *arguments, data_format=data_format, **options)  # type: ignore[misc]


MaxUnPool3D = layer_of_several(
    "MaxUnPool3D",
    max_unpool3d,
    "kernel_size stride padding data_format output_size",
    "output_size",
    "ksize=kernel_size",
)
__all__ = ["Conv3DTranspose", "InstanceNorm3D", "MaxUnPool3D", "conv3d_transpose", "max_unpool3d"]
