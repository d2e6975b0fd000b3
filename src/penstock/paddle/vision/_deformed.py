"""Convolutions that read their input at places that are learnt (Dai et al., 2017; Zhu et al., 2019)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.paddle._convert import data, integers_in, operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import initializer
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._sampling import interpolated
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _pair(value: Any) -> tuple[int, int]:
    value = integers_in(value)
    return (value, value) if isinstance(value, int) else (int(value[0]), int(value[1]))


@composite(4, "deform_conv2d")
def _deformed(
    x: Any,
    offset: Any,
    weight: Any,
    mask: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    parts: int,
    groups: int,
) -> Tensor:
    count, channels, *_ = x.shape
    filters, inner, *window = weight.shape
    high, wide = offset.shape[2:]
    taps = math.prod(window)
    moved = native.reshape(offset, (count * parts, taps, 2, high, wide))
    places = []
    for axis, n in enumerate((high, wide)):
        tap = np.arange(window[axis]) * dilation[axis]
        tap = np.repeat(tap, window[1]) if axis == 0 else np.tile(tap, window[0])
        start = np.arange(n) * stride[axis] - padding[axis]
        lengths = (1, 1, n, 1) if axis == 0 else (1, 1, 1, n)
        usual = tap.reshape(1, taps, 1, 1) + start.reshape(lengths)
        own = native.take(moved, native.asarray(np.asarray(axis)), axis=2)
        places.append(own + native.asarray(usual.astype(x.dtype)))
    read = interpolated(native.reshape(x, (count * parts, channels // parts, *x.shape[2:])), places)
    read = read * native.reshape(mask, (count * parts, 1, taps, high, wide))
    read = native.reshape(read, (count, groups, channels // groups * taps, high * wide))
    kernel = native.reshape(weight, (groups, filters // groups, inner * taps))
    found = native.matmul(native.expand_dims(kernel, axis=0), read)
    return native.reshape(found, (count, filters, high, wide))


@named("paddle.vision.ops.deform_conv2d")
def deform_conv2d(
    x: Any, offset: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    deformable_groups: int = 1, groups: int = 1, mask: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns a convolution of images [N, C, H, W] that reads them at shifted places.

    `offset` [N, 2 * deformable_groups * taps, h, w] says how far below and beside the usual place each of the
    taps reads, for each place of the result; `mask` [N, deformable_groups * taps, h, w] how much it counts.
    """
    x, offset, weight = operand(x), operand(offset), operand(weight)
    steps, spaces, around = _pair(stride), _pair(dilation), _pair(padding)
    window = weight._spec.shape[2:]
    taps, parts = math.prod(window), int(deformable_groups)
    lengths = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(x._spec.shape[2:], around, spaces, window, steps, strict=True)
    ]
    count, channels = x._spec.shape[:2]
    wanted = (count, 2 * parts * taps, *lengths)
    if offset._spec.shape != wanted or channels % parts or weight._spec.shape[1] * groups != channels:
        raise InvalidValueError(
            f"deform_conv2d: with an input {list(x._spec.shape)} and a weight {list(weight._spec.shape)}, "
            f"the offset must be {list(wanted)}, but is {list(offset._spec.shape)}.",
            site=here(),
        )
    kind = x._spec.dtype
    weighed = data(np.ones((count, parts * taps, *lengths), kind)) if mask is None else operand(mask)
    found = _deformed(x, offset, weight, weighed, steps, around, spaces, parts, int(groups))
    return found if bias is None else found + operand(bias).reshape([1, -1, 1, 1])


@named("paddle.vision.ops.DeformConv2D")
class DeformConv2D(Layer):
    """The function `deform_conv2d` as a layer: it is called with images, offsets and, if wished, a mask."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, deformable_groups: int = 1, groups: int = 1, weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        window = _pair(kernel_size)
        self._given = (stride, padding, dilation, deformable_groups, groups)
        spread = math.sqrt(2.0 / (math.prod(window) * in_channels))
        self.weight = self.create_parameter(
            [out_channels, in_channels // groups, *window], weight_attr,
            default_initializer=initializer.Normal(0.0, spread),
        )  # fmt: skip
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any, offset: Any, mask: Any = None) -> Any:
        """Returns the convolution."""
        return deform_conv2d(x, offset, self.weight, self.bias, *self._given, mask)
