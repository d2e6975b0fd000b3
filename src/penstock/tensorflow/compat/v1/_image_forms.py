"""Images at another size, as TensorFlow 1 computes it: the corner of a pixel counts, not its centre."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.tensorflow import _arrays, _resizing
from penstock.tensorflow._convert import lengths_of, operand
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.tensorflow.compat.v1._built import built
from penstock.trace.source_site import here


@named("tf.compat.v1.image.ResizeMethod")
class ResizeMethod:
    """The numbers of the methods of `resize_images`."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


def _places(old: int, new: int, align_corners: bool, half: bool) -> Any:
    """Returns where each new element lies among the old ones."""
    scale = (old - 1) / (new - 1) if align_corners and new > 1 else old / new
    at = np.arange(new)
    return ((at + 0.5) * scale - 0.5 if half else at * scale), scale


def _linear(old: int, new: int, align_corners: bool, half: bool) -> Any:
    """Returns the weights of old elements in each new one."""
    at = _places(old, new, align_corners, half)[0].astype(np.float32)
    lower = np.floor(at)
    share = (at - lower).astype(np.float32)
    first = np.clip(lower, 0, old - 1).astype(np.int64)
    second = np.clip(np.ceil(at), 0, old - 1).astype(np.int64)
    weights = np.zeros((new, old), np.float32)
    rows = np.arange(new)
    np.add.at(weights, (rows, first), 1.0 - share)
    np.add.at(weights, (rows, second), share)
    return weights


def _cubic(old: int, new: int, align_corners: bool, half: bool) -> Any:
    at = _places(old, new, align_corners, half)[0]
    lower = np.floor(at)
    # TensorFlow reads the weights from a table of this length.
    share = np.rint((at - lower) * 1024) / 1024
    weights = np.zeros((new, old), np.float32)
    factor = -0.5 if half else -0.75
    for shift in (-1, 0, 1, 2):
        distance = np.abs(share - shift)
        inner = ((factor + 2) * distance - (factor + 3)) * distance * distance + 1
        outer = ((factor * distance - 5 * factor) * distance + 8 * factor) * distance - 4 * factor
        weight = np.where(distance <= 1, inner, outer)
        place = lower.astype(np.int64) + shift
        if half:
            weight = np.where((place >= 0) & (place < old), weight, 0.0)
        np.add.at(weights, (np.arange(new), np.clip(place, 0, old - 1)), weight.astype(np.float32))
    return weights / weights.sum(1, keepdims=True) if half else weights


def _covered(old: int, new: int, align_corners: bool, half: bool) -> Any:
    scale = _places(old, new, align_corners, half)[1]
    edges = np.arange(new)[:, None] * scale
    cells = np.arange(old)[None, :]
    share = np.clip(np.minimum(edges + scale, cells + 1) - np.maximum(edges, cells), 0, None)
    return (share / share.sum(1, keepdims=True)).astype(np.float32)


def _nearest(old: int, new: int, align_corners: bool, half: bool) -> Any:
    at, scale = _places(old, new, align_corners, False)
    if align_corners:
        found = np.floor(at + 0.5)
    else:
        found = np.floor((np.arange(new) + 0.5) * scale) if half else np.floor(at)
    return np.clip(found, 0, old - 1).astype(np.int64)


_WEIGHTS = {"bilinear": _linear, "bicubic": _cubic, "area": _covered}


def _resized(images: Any, size: Any, method: str, align_corners: bool, half: bool) -> EagerTensor:
    x: Any = operand(images)
    rank = len(x._spec.shape)
    if rank not in (3, 4):
        raise ArgumentError("'images' must have either 3 or 4 dimensions.", site=here())
    height, width = (int(n) for n in lengths_of(size))
    axes = rank - 3, rank - 2
    for axis, new in zip(axes, (height, width), strict=True):
        old = x._spec.shape[axis]
        if method == "nearest":
            places = native.asarray(_nearest(old, new, align_corners, half))
            x = native.take(x, places, axis=axis)
        else:
            x = cast(x, "float32")
            weights = native.asarray(_WEIGHTS[method](old, new, align_corners, half))
            x = native.moveaxis(native.tensordot(weights, x, axes=([1], [axis])), 0, axis)
    return spoken(x)


def _named_method(name: str, method: str, type: str) -> Any:
    def resize(
        images: Any,
        size: Any,
        align_corners: bool = False,
        name: Any = None,
        half_pixel_centers: bool = False,
    ) -> Any:
        return _resized(images, size, method, bool(align_corners), bool(half_pixel_centers))

    resize.__name__ = resize.__qualname__ = name
    resize.__doc__ = f"Returns images at another size: {method}."
    return built(f"tf.compat.v1.image.{name}", type=type)(resize)


resize_bilinear = _named_method("resize_bilinear", "bilinear", "ResizeBilinear")
resize_nearest_neighbor = _named_method("resize_nearest_neighbor", "nearest", "ResizeNearestNeighbor")
resize_bicubic = _named_method("resize_bicubic", "bicubic", "ResizeBicubic")
resize_area = _named_method("resize_area", "area", "ResizeArea")
_METHODS = ("bilinear", "nearest", "bicubic", "area")


@built("tf.compat.v1.image.resize_images", "tf.compat.v1.image.resize", type="resize")
def resize_images(
    images: Any,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: Any = None,
) -> Any:
    """Returns images [batch, height, width, channels], or one without a batch, at another size."""
    x = operand(images)
    height, width = x._spec.shape[-3:-1]
    lengths = tuple(int(n) for n in lengths_of(size))
    if preserve_aspect_ratio:
        scale = min(lengths[0] / height, lengths[1] / width)
        lengths = round(height * scale), round(width * scale)
    if lengths == (height, width):
        return x
    word = str(_METHODS[method] if isinstance(method, int) else method)
    if word not in _METHODS:
        return _resizing.resize(x, lengths, word)
    return _resized(x, lengths, word, bool(align_corners), False)


@built("tf.compat.v1.image.resize_image_with_pad", type="resize_image_with_pad")
def resize_image_with_pad(
    image: Any, target_height: Any, target_width: Any, method: Any = 0, align_corners: bool = False
) -> Any:
    """Returns images of a size, resized with their proportions kept and zeros around them."""
    x = operand(image)
    height, width = x._spec.shape[-3:-1]
    ratio = max(height / target_height, width / target_width)
    tall, wide = int(height / ratio), int(width / ratio)
    word = _METHODS[method] if isinstance(method, int) else method
    made = _resized(x, (tall, wide), word, bool(align_corners), False)
    top, left = (target_height - tall) // 2, (target_width - wide) // 2
    sides = [(top, target_height - tall - top), (left, target_width - wide - left), (0, 0)]
    return _arrays.pad(made, [(0, 0)] * (len(x._spec.shape) - 3) + sides)
