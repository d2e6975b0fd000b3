"""Images at another size."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import nn
from penstock.ops import shape
from penstock.ops.table import cast
from penstock.tensorflow._convert import lengths_of, operand, record
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._image_changes import (
    pad_to_bounding_box,
)
from penstock.trace.source_site import here

_frame = sys._getframe
_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


@named("tf.image.ResizeMethod")
class ResizeMethod:
    """The words for the methods of `resize`."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA, LANCZOS3, LANCZOS5, GAUSSIAN, MITCHELLCUBIC = _METHODS


@named("tf.image.resize")
def resize(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: Any = None,
) -> Any:
    """Returns images [batch, height, width, channels], or one without a batch, at another size.

    The result is float32, except with "nearest" and if the size stays the same. Pixels are squares with
    centres at halves.

    >>> from penstock import tensorflow as tf
    >>> print(tf.image.resize([[[0.0], [1.0]]], (1, 4))[..., 0].numpy())
    [[0.   0.25 0.75 1.  ]]
    """
    frame = _frame(1)
    images = operand(images)
    rank = len(images._spec.shape)
    if rank not in (3, 4):
        raise ArgumentError("'images' must have either 3 or 4 dimensions.", site=here())
    if method not in _METHODS:
        raise ArgumentError(
            f"tf.image.resize: {method!r} is not a method.",
            remedy=f"Use one of {', '.join(_METHODS)}.",
            site=here(),
        )
    lengths = tuple(int(n) for n in lengths_of(size))
    if len(lengths) != 2:
        raise ArgumentError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width", site=here())
    height, width = images._spec.shape[-3:-1]
    if preserve_aspect_ratio:
        scale = min(lengths[0] / height, lengths[1] / width)
        lengths = round(height * scale), round(width * scale)
    if lengths == (height, width):
        return images
    if method != "nearest" and images._spec.dtype != np.float32:
        images = record(cast, (images,), {"dtype": np.dtype(np.float32)}, frame)
    smooth = bool(antialias) and method not in ("nearest", "area")
    made = nn.resize(images, lengths, method, axes=(rank - 3, rank - 2), antialias=smooth)
    return record(shape.reshape, (made,), {"shape": made._spec.shape}, frame)


@named("tf.image.resize_with_pad")
def resize_with_pad(
    image: Any, target_height: int, target_width: int, method: str = "bilinear", antialias: bool = False
) -> Any:
    """Returns images of a size, resized with their proportions kept and zeros around them."""
    image = operand(image)
    height, width = image._spec.shape[-3:-1]
    ratio = max(height / target_height, width / target_width)
    tall, wide = int(height / ratio), int(width / ratio)
    # Half of the remaining length before lengths are rounded down, as in TensorFlow.
    top, left = int((target_height - height / ratio) / 2), int((target_width - width / ratio) / 2)
    made = resize(image, (tall, wide), method=method, antialias=antialias)
    return pad_to_bounding_box(made, top, left, target_height, target_width)
