"""tf.image: resizing."""

from __future__ import annotations

import sys as _sys
from typing import Any

import numpy as _np

from penstock.functions import nn as _nn
from penstock.ops import shape as _shape
from penstock.ops.table import cast as _cast
from penstock.tensorflow._colours import (
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    hsv_to_rgb,
    random_contrast,
    random_hue,
    random_saturation,
    rgb_to_hsv,
)
from penstock.tensorflow._convert import lengths_of as _lengths_of
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._image_changes import (
    adjust_brightness,
    adjust_contrast,
    central_crop,
    convert_image_dtype,
    crop_to_bounding_box,
    flip_left_right,
    flip_up_down,
    grayscale_to_rgb,
    image_gradients,
    pad_to_bounding_box,
    per_image_standardization,
    psnr,
    random_brightness,
    random_crop,
    random_flip_left_right,
    random_flip_up_down,
    resize_with_crop_or_pad,
    rgb_to_grayscale,
    rot90,
    total_variation,
    transpose,
)
from penstock.tensorflow._image_parts import (
    crop_and_resize,
    extract_patches,
    non_max_suppression,
    non_max_suppression_overlaps,
    non_max_suppression_with_scores,
    rgb_to_yiq,
    rgb_to_yuv,
    sobel_edges,
    ssim,
    stateless_random_brightness,
    stateless_random_contrast,
    stateless_random_crop,
    stateless_random_flip_left_right,
    stateless_random_flip_up_down,
    stateless_random_hue,
    stateless_random_saturation,
    yiq_to_rgb,
    yuv_to_rgb,
)
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._pictures_as_bytes import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from penstock.trace.source_site import here as _here

_frame = _sys._getframe
_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


class ResizeMethod:
    """The words for the methods of `resize`."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA, LANCZOS3, LANCZOS5, GAUSSIAN, MITCHELLCUBIC = _METHODS


def resize(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: Any = None,
) -> Any:
    """Returns images [batch, height, width, channels], or one without a batch, at another size.

    The result is float32 but with "nearest", and where nothing changes. Pixels are squares with centres at
    halves.

    >>> from penstock import tensorflow as tf
    >>> print(tf.image.resize([[[0.0], [1.0]]], (1, 4))[..., 0].numpy())
    [[0.   0.25 0.75 1.  ]]
    """
    frame = _frame(1)
    images = _operand(images)
    rank = len(images._spec.shape)
    if rank not in (3, 4):
        raise _ArgumentError("'images' must have either 3 or 4 dimensions.", site=_here())
    if method not in _METHODS:
        raise _ArgumentError(
            f"tf.image.resize: {method!r} is not a method.",
            remedy=f"Use one of {', '.join(_METHODS)}.",
            site=_here(),
        )
    lengths = tuple(int(n) for n in _lengths_of(size))
    if len(lengths) != 2:
        raise _ArgumentError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width", site=_here())
    height, width = images._spec.shape[-3:-1]
    if preserve_aspect_ratio:
        scale = min(lengths[0] / height, lengths[1] / width)
        lengths = round(height * scale), round(width * scale)
    if lengths == (height, width):
        return images
    if method != "nearest" and images._spec.dtype != _np.float32:
        images = _record(_cast, (images,), {"dtype": _np.dtype(_np.float32)}, frame)
    smooth = bool(antialias) and method not in ("nearest", "area")
    made = _nn.resize(images, lengths, method, axes=(rank - 3, rank - 2), antialias=smooth)
    return _record(_shape.reshape, (made,), {"shape": made._spec.shape}, frame)


def resize_with_pad(
    image: Any, target_height: int, target_width: int, method: str = "bilinear", antialias: bool = False
) -> Any:
    """Returns images of a size, resized with their proportions kept and zeros around them."""
    image = _operand(image)
    height, width = image._spec.shape[-3:-1]
    ratio = max(height / target_height, width / target_width)
    tall, wide = int(height / ratio), int(width / ratio)
    # Halves of what is left before lengths are rounded down, as TensorFlow has them.
    top, left = int((target_height - height / ratio) / 2), int((target_width - width / ratio) / 2)
    made = resize(image, (tall, wide), method=method, antialias=antialias)
    return pad_to_bounding_box(made, top, left, target_height, target_width)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.image", name, __all__)


__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "central_crop",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sobel_edges",
    "ssim",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_saturation",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]
