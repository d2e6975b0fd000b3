"""Images cut into patches and put together again, and channels moved about."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.paddle import _creation, _manipulation, _math, _selecting
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import _rarely
from penstock.paddle.nn import functional as F
from penstock.trace.source_site import here


def _pair(value: Any) -> list[int]:
    return [int(value)] * 2 if isinstance(value, int) else [int(one) for one in value]


def _borders(paddings: Any) -> list[int]:
    """Returns the widths above, below, left and right."""
    if isinstance(paddings, int):
        return [paddings] * 4
    given = [int(one) for one in paddings]
    if len(given) == 1:
        return given * 4
    if len(given) == 2:
        return [given[0], given[0], given[1], given[1]]
    top, left, bottom, right = given
    return [top, bottom, left, right]


def _patches(lengths: list[int], kernel: Any, strides: Any, dilations: Any) -> tuple[Any, list[int]]:
    """Returns where the pixels of each patch lie in an image laid flat, and how many patches there are."""
    kernel, strides, dilations = _pair(kernel), _pair(strides), _pair(dilations)
    rows = []
    counts = []
    for n, k, s, d in zip(lengths, kernel, strides, dilations, strict=True):
        count = (n - d * (k - 1) - 1) // s + 1
        if count < 1:
            raise InvalidValueError(f"A patch of {kernel} does not fit an image of {lengths}.", site=here())
        rows.append(np.arange(k)[:, None] * d + np.arange(count)[None, :] * s)
        counts.append(count)
    places = rows[0][:, None, :, None] * lengths[1] + rows[1][None, :, None, :]
    return places.reshape(kernel[0] * kernel[1], counts[0] * counts[1]), counts


def unfold(
    x: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1, name: Any = None
) -> Any:
    """Returns the patches of images [n, c, h, w] as the columns of [n, c * kernel, patches]."""
    x = operand(x)
    top, bottom, left, right = _borders(paddings)
    if top or bottom or left or right:
        x = _rarely.pad(x, [left, right, top, bottom])
    count, channels, height, width = x._spec.shape
    places, _ = _patches([height, width], kernel_sizes, strides, dilations)
    flat = x.reshape([count, channels, height * width])
    found = _manipulation.gather(flat, data(places.reshape(-1)), 2)
    return found.reshape([count, channels * places.shape[0], places.shape[1]])


def fold(
    x: Any, output_sizes: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns images made of patches as `unfold` gives them; where patches overlap, their sum."""
    x = operand(x)
    top, bottom, left, right = _borders(paddings)
    height, width = _pair(output_sizes)
    lengths = [height + top + bottom, width + left + right]
    places, _ = _patches(lengths, kernel_sizes, strides, dilations)
    count, columns, patches = x._spec.shape
    channels = columns // places.shape[0]
    if patches != places.shape[1] or channels * places.shape[0] != columns:
        raise InvalidValueError(
            f"fold: patches of shape {list(x._spec.shape)} do not make an image of {[height, width]}.",
            site=here(),
        )
    flat = x.reshape([count, channels, places.size])
    empty = _creation.zeros([count, channels, math.prod(lengths)], x._spec.dtype.name)
    whole = _selecting.index_add(empty, data(places.reshape(-1)), 2, flat)
    whole = whole.reshape([count, channels, *lengths])
    return whole[:, :, top : top + height, left : left + width]


def channel_shuffle(x: Any, groups: int, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns images whose channels take turns from each of the groups."""
    x = operand(x)
    if data_format == "NHWC":
        n, h, w, c = x._spec.shape
        return x.reshape([n, h, w, groups, c // groups]).transpose([0, 1, 2, 4, 3]).reshape([n, h, w, c])
    n, c, h, w = x._spec.shape
    return x.reshape([n, groups, c // groups, h, w]).transpose([0, 2, 1, 3, 4]).reshape([n, c, h, w])


def pixel_unshuffle(x: Any, downscale_factor: int, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns smaller images with more channels: the inverse of `pixel_shuffle`."""
    x, r = operand(x), downscale_factor
    if data_format == "NHWC":
        n, h, w, c = x._spec.shape
        parts = x.reshape([n, h // r, r, w // r, r, c]).transpose([0, 1, 3, 5, 2, 4])
        return parts.reshape([n, h // r, w // r, c * r * r])
    n, c, h, w = x._spec.shape
    parts = x.reshape([n, c, h // r, r, w // r, r]).transpose([0, 1, 3, 5, 2, 4])
    return parts.reshape([n, c * r * r, h // r, w // r])


def zeropad2d(x: Any, padding: Any, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns images with zeros added at the left, right, top and bottom."""
    return _rarely.pad(x, padding, "constant", 0.0, data_format)


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


def local_response_norm(
    x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0, data_format: str = "NCHW",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x divided by a power of the mean square of the channels near by."""
    x = operand(x)
    axis = x._spec.ndim - 1 if data_format[-1] == "C" else 1
    squares = _math.square(x)
    lengths = list(x._spec.shape)
    ends = []
    for width in (size // 2, (size - 1) // 2):
        lengths[axis] = width
        ends.append(_creation.zeros(lengths, x._spec.dtype.name))
    wide = _manipulation.concat([ends[0], squares, ends[1]], axis)
    count = x._spec.shape[axis]
    total: Any = 0.0
    for start in range(size):
        total = total + _selecting.slice(wide, [axis], [start], [start + count])
    return x / _math.pow(total / float(size) * alpha + k, beta)


def _lp_pool(x: Any, norm_type: float, pool: Any, rank: int, options: dict[str, Any]) -> Any:
    x = operand(x)
    if norm_type == math.inf:
        raise InvalidValueError("lp_pool with norm_type=inf is max_pool.", site=here())
    kernel = options["kernel_size"]
    size = kernel**rank if isinstance(kernel, int) else math.prod(kernel)
    means = pool(_math.pow(x, norm_type), exclusive=False, **options)
    return _math.pow(means * float(size), 1.0 / norm_type)


def lp_pool1d(
    x: Any, norm_type: float, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    data_format: str = "NCL", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the p-norm of each window of sequences; `data_format` is "NCL"."""
    options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "ceil_mode": ceil_mode}
    return _lp_pool(x, float(norm_type), F.avg_pool1d, 1, options)


def lp_pool2d(
    x: Any, norm_type: float, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the p-norm of each window of images."""
    options = {
        "kernel_size": kernel_size, "stride": stride, "padding": padding, "ceil_mode": ceil_mode,
        "data_format": data_format,
    }  # fmt: skip
    return _lp_pool(x, float(norm_type), F.avg_pool2d, 2, options)


__all__ = [
    "channel_shuffle", "fold", "local_response_norm", "lp_pool1d", "lp_pool2d", "pixel_unshuffle",
    "temporal_shift", "unfold", "zeropad2d",
]  # fmt: skip
