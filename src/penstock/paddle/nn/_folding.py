"""Images cut into patches and put together again, and the layers that do it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.paddle import _creation, _manipulation, _scattering
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn._function_layers import layer_of
from penstock.paddle.nn._padding import pad
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


@in_functional
def unfold(
    x: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1, name: Any = None
) -> Any:
    """Returns the patches of images [n, c, h, w] as the columns of [n, c * kernel, patches]."""
    x = operand(x)
    top, bottom, left, right = _borders(paddings)
    if top or bottom or left or right:
        x = pad(x, [left, right, top, bottom])
    count, channels, height, width = x._spec.shape
    places, _ = _patches([height, width], kernel_sizes, strides, dilations)
    flat = x.reshape([count, channels, height * width])
    found = _manipulation.gather(flat, data(places.reshape(-1)), 2)
    return found.reshape([count, channels * places.shape[0], places.shape[1]])


@in_functional
def fold(
    x: Any, output_sizes: Any, kernel_sizes: Any, strides: Any = 1, paddings: Any = 0, dilations: Any = 1,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns images from patches as `unfold` returns them; overlapping patches are added up."""
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
    whole = _scattering.index_add(empty, data(places.reshape(-1)), 2, flat)
    whole = whole.reshape([count, channels, *lengths])
    return whole[:, :, top : top + height, left : left + width]


# -- layers ----------------------------------------------------------------------------------------------

_WORDS = "kernel_size=kernel_sizes dilation=dilations padding=paddings stride=strides"
_KEPT = "kernel_sizes dilations paddings strides"
Unfold = layer_of("Unfold", unfold, _KEPT, words=_WORDS, known=f"{_KEPT} name")
Fold = layer_of(
    "Fold", fold, f"output_sizes {_KEPT}", words=_WORDS,
    known=f"output_sizes output_size=output_sizes {_KEPT} {_WORDS} name",
)  # fmt: skip
