"""Images [..., height, width, channels] turned, cut and changed in brightness, under TensorFlow's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import resize
from penstock.functions.composite import composite
from penstock.ops.validation import plain
from penstock.tensorflow._convert import lengths_of, operand, tensor_of
from penstock.tensorflow._draws import uniform
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._special import saturate_cast
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.lengths import real
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


def _image(x: Any) -> Any:
    x = tensor_of(x)
    if len(x._spec.shape) not in (3, 4):
        raise ArgumentError("'image' must have either 3 or 4 dimensions.", site=here())
    return x


@composite(1, "flip")
def _flip(x: Any, axis: int) -> Tensor:
    return native.flip(x, axis=axis)


@named("tf.image.flip_left_right")
def flip_left_right(image: Any) -> EagerTensor:
    """Returns images mirrored from left to right."""
    return _flip(_image(image), -2)  # type: ignore[return-value]


@named("tf.image.flip_up_down")
def flip_up_down(image: Any) -> EagerTensor:
    """Returns images mirrored from top to bottom."""
    return _flip(_image(image), -3)  # type: ignore[return-value]


@named("tf.image.transpose", "tf.compat.v1.image.transpose_image")
def transpose(image: Any, name: Any = None) -> EagerTensor:
    """Returns images with rows and columns exchanged."""
    return _quarter(_image(image), True, 0)  # type: ignore[return-value]


@named("tf.image.rot90")
def rot90(image: Any, k: Any = 1, name: Any = None) -> EagerTensor:
    """Returns images rotated counterclockwise by `k` right angles."""
    return _quarter(_image(image), False, int(k) % 4)  # type: ignore[return-value]


@composite(1, "rot90")
def _quarter(x: Any, mirrored: bool, turns: int) -> Tensor:
    axes = list(range(len(x.shape)))
    exchanged = (*axes[:-3], axes[-2], axes[-3], axes[-1])
    if mirrored:
        return native.permute_dims(x, exchanged)
    for _ in range(turns):
        x = native.flip(native.permute_dims(x, exchanged), axis=-3)
    return x  # type: ignore[no-any-return]


def by_chance(image: Any, function: Any, drawn_for: Any) -> EagerTensor:
    """Returns images of which each is changed, or not; `drawn_for` gives numbers from 0 to 1 of a shape."""
    x = _image(image)
    if len(x._spec.shape) == 3:
        return native.where(drawn_for(()) < 0.5, function(x), x)  # type: ignore[return-value]
    batch = x._spec.shape[0]
    changed = native.reshape(drawn_for((batch,)), (batch, 1, 1, 1)) > 0.5
    return native.where(changed, function(x), x)  # type: ignore[return-value]


def _seeded(seed: Any) -> Any:
    return lambda shape: uniform(shape, seed=seed)


@named("tf.image.random_flip_left_right")
def random_flip_left_right(image: Any, seed: Any = None) -> EagerTensor:
    """Returns images of which each is mirrored from left to right, or not, by chance."""
    return by_chance(image, flip_left_right, _seeded(seed))


@named("tf.image.random_flip_up_down")
def random_flip_up_down(image: Any, seed: Any = None) -> EagerTensor:
    """Returns images of which each is mirrored from top to bottom, or not, by chance."""
    return by_chance(image, flip_up_down, _seeded(seed))


# -- cut and filled up ----------------------------------------------------------------------------------


@named("tf.image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> EagerTensor:
    """Returns a part of images."""
    x = _image(image)
    top, left, height, width = map(int, (offset_height, offset_width, target_height, target_width))
    rows, columns = x._spec.shape[-3:-1]
    for holds, words in (
        (top >= 0, "offset_height must be >= 0."),
        (left >= 0, "offset_width must be >= 0."),
        (height > 0, "target_height must be > 0."),
        (width > 0, "target_width must be > 0."),
        (height + top <= rows, "height must be >= target + offset."),
        (width + left <= columns, "width must be >= target + offset."),
    ):
        if not holds:
            raise ArgumentError(words, site=here())
    return x[..., top : top + height, left : left + width, :]  # type: ignore[no-any-return]


@named("tf.image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> EagerTensor:
    """Returns images with zeros around them."""
    x = _image(image)
    top, left = int(offset_height), int(offset_width)
    rows, columns = x._spec.shape[-3:-1]
    below, right = int(target_height) - top - rows, int(target_width) - left - columns
    for holds, words in (
        (top >= 0, "offset_height must be >= 0"),
        (left >= 0, "offset_width must be >= 0"),
        (right >= 0, "width must be <= target - offset"),
        (below >= 0, "height must be <= target - offset"),
    ):
        if not holds:
            raise ArgumentError(words, site=here())
    outer = [(0, 0)] * (len(x._spec.shape) - 3)
    return spoken(resize.pad(x, [*outer, (top, below), (left, right), (0, 0)]))


@named("tf.image.central_crop")
def central_crop(image: Any, central_fraction: float) -> EagerTensor:
    """Returns the middle of images: such a part of their height and width."""
    if not 0.0 < central_fraction <= 1.0:
        raise ArgumentError("central_fraction must be within (0, 1]", site=here())
    x = _image(image)
    rows, columns = x._spec.shape[-3:-1]
    top, left = (int((n - n * central_fraction) / 2) for n in (rows, columns))
    return crop_to_bounding_box(x, top, left, rows - 2 * top, columns - 2 * left)


@named("tf.image.resize_with_crop_or_pad", "tf.compat.v1.image.resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> EagerTensor:
    """Returns images at another size: their middle, or with zeros around them."""
    x = _image(image)
    height, width = int(target_height), int(target_width)
    rows, columns = x._spec.shape[-3:-1]
    x = crop_to_bounding_box(
        x,
        max((rows - height) // 2, 0),
        max((columns - width) // 2, 0),
        min(height, rows),
        min(width, columns),
    )
    rows, columns = x._spec.shape[-3:-1]
    return pad_to_bounding_box(x, (height - rows) // 2, (width - columns) // 2, height, width)


@named("tf.image.random_crop", "tf.compat.v1.random_crop")
def random_crop(value: Any, size: Any, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns a part of a tensor, of this size, from a place that chance decides, which is looked at."""
    x, lengths = tensor_of(value), lengths_of(size)
    room = [own - wanted + 1 for own, wanted in zip(x._spec.shape, lengths, strict=True)]
    if min(room) < 1:
        raise ArgumentError(
            "Need value.shape >= size, got", origin=f"{x._spec.shape}, {lengths}", site=here()
        )
    return part_at(x, lengths, uniform((len(room),), 0, _LARGEST, np.int32, seed))


_LARGEST = (1 << 31) - 1


def part_at(x: Any, lengths: Any, draws: Any) -> EagerTensor:
    """Returns a part of a tensor, from the place that the remainders of whole numbers give."""
    starts = [
        int(draw) % (own - wanted + 1)
        for draw, own, wanted in zip(np.asarray(draws.numpy()), x._spec.shape, lengths, strict=True)
    ]
    return x[tuple(slice(i, i + n) for i, n in zip(starts, lengths, strict=True))]  # type: ignore[no-any-return]


# -- colours --------------------------------------------------------------------------------------------


@named("tf.image.convert_image_dtype")
def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: Any = None) -> EagerTensor:
    """Returns images in another dtype, scaled: fractions from 0 to 1, whole numbers to their largest."""
    x, wanted = tensor_of(image), numpy_dtype(dtype)
    own = x._spec.dtype
    if own == wanted:
        return x
    if own.kind in "iu" and wanted.kind in "fV":
        return cast(x, wanted) * (1.0 / np.iinfo(own).max)  # type: ignore[no-any-return]
    if own.kind in "fV" and wanted.kind in "iu":
        scaled = x * (np.iinfo(wanted).max + 0.5)
        return saturate_cast(scaled, wanted) if saturate else cast(scaled, wanted)
    if own.kind in "iu":
        larger, smaller = np.iinfo(own).max, np.iinfo(wanted).max
        if larger > smaller:
            return cast(x // ((larger + 1) // (smaller + 1)), wanted)  # type: ignore[no-any-return]
        return cast(x, wanted) * ((smaller + 1) // (larger + 1))  # type: ignore[no-any-return]
    return cast(x, wanted)  # type: ignore[no-any-return]


@named("tf.image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> EagerTensor:
    """Returns images with a number added, whole ones as if they went from 0 to 1."""
    x = tensor_of(image)
    fractions = convert_image_dtype(x, np.float32) if x._spec.dtype.kind in "iu" else x
    return convert_image_dtype(fractions + delta, x._spec.dtype, saturate=True)


@named("tf.image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> EagerTensor:
    """Returns images whose distance from the mean of each channel is multiplied."""
    x = _image(images)
    fractions = convert_image_dtype(x, np.float32) if x._spec.dtype.kind in "iu" else x
    factor = plain(contrast_factor)
    mean = _mean_colour(fractions)
    changed = (fractions - mean) * (factor if isinstance(factor, Tensor | Cell) else float(factor)) + mean
    return convert_image_dtype(spoken(changed), x._spec.dtype, saturate=True)


@composite(1, "adjust_contrast", wide=True)
def _mean_colour(x: Any) -> Tensor:
    return native.mean(x, axis=(-3, -2), keepdims=True)


@named("tf.image.random_brightness")
def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> EagerTensor:
    """Returns images with a random number between -max_delta and max_delta added."""
    if max_delta < 0:
        raise ArgumentError("max_delta must be non-negative.", site=here())
    return adjust_brightness(image, uniform((), -float(max_delta), float(max_delta), seed=seed))


@named("tf.image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: Any = None) -> EagerTensor:
    """Returns images of one channel with that channel three times."""
    x = operand(images)
    return native.concat([x, x, x], axis=-1)  # type: ignore[return-value]


@named("tf.image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: Any = None) -> EagerTensor:
    """Returns the brightness of images: 0.2989 red + 0.587 green + 0.114 blue."""
    x = tensor_of(images)
    fractions = convert_image_dtype(x, np.float32)
    return convert_image_dtype(_gray(fractions), x._spec.dtype)


@composite(1, "rgb_to_grayscale", wide=True)
def _gray(x: Any) -> Tensor:
    weights = native.asarray(np.asarray([0.2989, 0.587, 0.114], x.dtype))
    return native.sum(x * weights, axis=-1, keepdims=True)


@named("tf.image.per_image_standardization")
def per_image_standardization(image: Any) -> EagerTensor:
    """Returns images with mean 0 and variance 1, each by itself; the deviation is at least 1 / sqrt(size)."""
    return _standard(cast(_image(image), np.float32))  # type: ignore[return-value]


@composite(1, "per_image_standardization", wide=True)
def _standard(x: Any) -> Tensor:
    axes = (-3, -2, -1)
    count = real(math.prod(x.shape[-3:]))
    distance = x - native.mean(x, axis=axes, keepdims=True)
    deviation = native.std(x, axis=axes, keepdims=True)
    return distance / native.maximum(deviation, count**-0.5)  # type: ignore[no-any-return]


@named("tf.image.total_variation")
def total_variation(images: Any, name: Any = None) -> EagerTensor:
    """Returns the sum of the differences between pixels and their neighbours, for each image."""
    return _variation(_image(images))  # type: ignore[return-value]


@composite(1, "total_variation", wide=True)
def _variation(x: Any) -> Tensor:
    down = native.abs(native.diff(x, axis=-3))
    across = native.abs(native.diff(x, axis=-2))
    return native.sum(down, axis=(-3, -2, -1)) + native.sum(across, axis=(-3, -2, -1))


@named("tf.image.image_gradients")
def image_gradients(image: Any) -> tuple[EagerTensor, EagerTensor]:
    """Returns the differences to the next row and to the next column, 0 at the end."""
    x = _image(image)
    down, across = _differences(x)
    return down, across  # type: ignore[return-value]


@composite(1, "image_gradients")
def _differences(x: Any) -> tuple[Tensor, Tensor]:
    found = []
    for axis in (-3, -2):
        difference = native.diff(x, axis=axis)
        last = native.zeros_like(native.take(x, native.asarray(np.asarray([0])), axis=axis))
        found.append(native.concat([difference, last], axis=axis))
    return found[0], found[1]


@named("tf.image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: Any = None) -> EagerTensor:
    """Returns the peak signal-to-noise ratio of images, in decibels."""
    first, second = (convert_image_dtype(one, np.float32) for one in (a, b))
    own = tensor_of(a)._spec.dtype
    largest = float(max_val) / (np.iinfo(own).max if own.kind in "iu" else 1.0)
    return _psnr(first, second, largest)  # type: ignore[return-value]


@composite(2, "psnr", wide=True)
def _psnr(a: Any, b: Any, largest: float) -> Tensor:
    error = native.mean(native.square(a - b), axis=(-3, -2, -1))
    decibel = 10.0 / float(np.log(10.0))
    return decibel * (2.0 * float(np.log(largest)) - native.log(error))
