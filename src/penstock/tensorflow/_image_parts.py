"""Parts of images: boxes cut out and chosen among, patches, edges, likeness; and television's colours.

The boxes are [y1, x1, y2, x2], as parts of the height and width. The likeness is that of Wang et al., Image
Quality Assessment: From Error Visibility to Structural Similarity (2004).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.ops.validation import plain
from penstock.tensorflow._arrays import pad
from penstock.tensorflow._colours import adjust_hue, adjust_saturation
from penstock.tensorflow._convert import lengths_of, operand, tensor_of
from penstock.tensorflow._convolution import depthwise_conv2d
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._generators import stateless_uniform
from penstock.tensorflow._image_changes import (
    adjust_brightness,
    adjust_contrast,
    by_chance,
    convert_image_dtype,
    flip_left_right,
    flip_up_down,
    part_at,
)
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.tensorflow._windows import window_places, windows_at
from penstock.trace.source_site import here

# -- colours ------------------------------------------------------------------------------------------------

_TO_YIQ = ((0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955))
_FROM_YIQ = ((1, 1, 1), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
_TO_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_FROM_YUV = ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0))


def _turned(images: Any, matrix: Any) -> EagerTensor:
    x = operand(images)
    return spoken(native.matmul(x, native.asarray(np.array(matrix, x._spec.dtype))))


@named("tf.image.rgb_to_yiq")
def rgb_to_yiq(images: Any) -> EagerTensor:
    """Returns the colours of NTSC: brightness, orange to blue, purple to green."""
    return _turned(images, _TO_YIQ)


@named("tf.image.yiq_to_rgb")
def yiq_to_rgb(images: Any) -> EagerTensor:
    """Undoes `rgb_to_yiq`."""
    return _turned(images, _FROM_YIQ)


@named("tf.image.rgb_to_yuv")
def rgb_to_yuv(images: Any) -> EagerTensor:
    """Returns the colours of PAL: brightness, and what blue and red have beyond it."""
    return _turned(images, _TO_YUV)


@named("tf.image.yuv_to_rgb")
def yuv_to_rgb(images: Any) -> EagerTensor:
    """Undoes `rgb_to_yuv`."""
    return _turned(images, _FROM_YUV)


# -- boxes --------------------------------------------------------------------------------------------------


def _numbers(value: Any) -> Any:
    return np.asarray(tensor_of(value).numpy())


def overlaps_of(boxes: Any) -> Any:
    """Returns for each two boxes the part of their union in which they overlap."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = np.prod(high - low, -1)
    both = np.maximum(0, np.minimum(high[:, None], high) - np.maximum(low[:, None], low)).prod(-1)
    union = area[:, None] + area - both
    return np.divide(both, union, out=np.zeros_like(both), where=(area[:, None] > 0) & (area > 0))


def chosen_boxes(overlaps: Any, scores: Any, most: int, limit: float, least: float) -> list[int]:
    """Returns the places of the best scores, without those that overlap a better one by more than `limit`."""
    found: list[int] = []
    for place in np.argsort(-scores, kind="stable").tolist():
        if len(found) == most or not scores[place] > least:
            break
        if all(overlaps[place, other] <= limit for other in found):
            found.append(place)
    return found


@named("tf.image.non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: Any = None,
) -> EagerTensor:
    """Returns the places of boxes [n, 4] with the best scores [n] that overlap no better one too much.

    How many there are depends on the values, which are looked at; no gradient passes.
    """
    overlaps = overlaps_of(_numbers(boxes))
    return non_max_suppression_overlaps(overlaps, scores, max_output_size, iou_threshold, score_threshold)


@named("tf.image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: Any = None,
) -> EagerTensor:
    """Returns what `non_max_suppression` does, for overlaps [n, n] that are given."""
    limits = float(plain(overlap_threshold)), float(plain(score_threshold))
    found = chosen_boxes(_numbers(overlaps), _numbers(scores), int(plain(max_output_size)), *limits)
    return operand(np.array(found, np.int32))  # type: ignore[no-any-return]


@named("tf.image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: Any = None,
) -> tuple[EagerTensor, EagerTensor]:
    """Returns the places that `non_max_suppression` chooses, and their scores.

    Raises ArgumentError for `soft_nms_sigma`, which is not supported.
    """
    if plain(soft_nms_sigma):
        raise ArgumentError(
            "soft_nms_sigma is not supported.", remedy="Leave it out, or give 0.", site=here()
        )
    chosen = non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return chosen, spoken(native.take(tensor_of(scores), chosen, axis=0))


def _sampled(first: Any, last: Any, count: int, length: int) -> Any:
    """Returns [boxes, count]: where numbers are taken between two ends, which are parts of a length."""
    if count == 1:
        return (0.5 * (first + last) * (length - 1))[:, None]
    step = (last - first) * (length - 1) / (count - 1)
    return (first * (length - 1))[:, None] + np.arange(count) * step[:, None]


@named("tf.image.crop_and_resize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: Any = 0.0,
    name: Any = None,
) -> EagerTensor:
    """Returns [boxes, *crop_size, channels] of images [batch, height, width, channels], as float32.

    Box i is cut out of image `box_indices[i]`, and what lies outside of it is `extrapolation_value`.
    Gradients reach the images, not the boxes, whose values are looked at.
    """
    if method not in ("bilinear", "nearest"):
        raise ArgumentError(f"method must be 'bilinear' or 'nearest', not {method!r}.", site=here())
    x: Any = native.astype(operand(image), np.float32)
    where, which = _numbers(boxes).astype(np.float32), _numbers(box_indices)
    tall, wide = lengths_of(crop_size)
    _, height, width, _ = x._spec.shape
    ys, xs = _sampled(where[:, 0], where[:, 2], tall, height), _sampled(where[:, 1], where[:, 3], wide, width)
    inside = ((ys >= 0) & (ys <= height - 1))[:, :, None] & ((xs >= 0) & (xs <= width - 1))[:, None, :]

    def at(rows: Any, columns: Any) -> Any:
        rows, columns = np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
        flat = which[:, None, None] * (height * width) + rows[:, :, None] * width + columns[:, None, :]
        table = native.reshape(x, (-1, x._spec.shape[-1]))
        taken = native.take(table, native.asarray(flat.reshape(-1).astype(np.int64)), axis=0)
        return native.reshape(taken, (len(which), tall, wide, x._spec.shape[-1]))

    if method == "nearest":
        found = at(np.round(ys).astype(int), np.round(xs).astype(int))
    else:
        low, left = np.floor(ys).astype(int), np.floor(xs).astype(int)
        high, right = np.ceil(ys).astype(int), np.ceil(xs).astype(int)
        down = native.asarray((ys - low).astype(np.float32)[:, :, None, None])
        across = native.asarray((xs - left).astype(np.float32)[:, None, :, None])
        top = at(low, left) + (at(low, right) - at(low, left)) * across
        bottom = at(high, left) + (at(high, right) - at(high, left)) * across
        found = top + (bottom - top) * down
    outside = np.float32(plain(extrapolation_value))
    return spoken(native.where(native.asarray(inside[..., None]), found, native.asarray(outside)))


# -- patches and edges --------------------------------------------------------------------------------------


@named("tf.image.extract_patches")
def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: Any = None
) -> EagerTensor:
    """Returns [batch, rows, columns, height x width x channels] of images: a patch at each place.

    The four are lists [1, height, width, 1]: the size of a patch, the distance of two, that of its elements.
    """
    x: Any = operand(images)
    (_, tall, wide, _), (_, down, across, _), (_, by, along, _) = map(lengths_of, (sizes, strides, rates))
    _, height, width, channels = x._spec.shape
    margins, (rows, columns) = window_places(
        (height, width), (tall, wide), (down, across), (by, along), padding
    )
    x = windows_at(pad(x, [(0, 0), *margins, (0, 0)]), rows, columns)
    return spoken(native.reshape(x, (-1, len(rows), len(columns), tall * wide * channels)))


@named("tf.image.sobel_edges")
def sobel_edges(image: Any) -> EagerTensor:
    """Returns [batch, height, width, channels, 2]: how much images grow downwards and to the right."""
    x: Any = operand(image)
    channels = x._spec.shape[-1]
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], x._spec.dtype)
    kernels = np.tile(np.stack([down, down.T], -1)[:, :, None, :], (1, 1, channels, 1))
    wider = pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="REFLECT")
    found: Any = depthwise_conv2d(wider, kernels, [1, 1, 1, 1], "VALID")
    return spoken(native.reshape(found, (*found._spec.shape[:3], channels, 2)))


@named("tf.image.ssim")
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> EagerTensor:
    """Returns how alike images are: 1 for the same, for each two of them, or with the map for each place."""
    first, second, largest = _compared(img1, img2, max_val)
    likeness, contrast = _likeness(first, second, largest, filter_size, filter_sigma, k1, k2)
    each = likeness * contrast
    return spoken(native.mean(each, axis=-1 if return_index_map else (-3, -2, -1)))


def _compared(img1: Any, img2: Any, max_val: Any) -> tuple[Any, Any, float]:
    """Returns both images as float32, and the largest value that they may have."""
    first, second = (convert_image_dtype(one, np.float32) for one in (img1, img2))
    kind = tensor_of(img1)._spec.dtype
    return first, second, float(plain(max_val)) / (np.iinfo(kind).max if kind.kind in "iu" else 1)


def _likeness(
    first: Any, second: Any, largest: float, filter_size: int, filter_sigma: float, k1: float, k2: float
) -> tuple[Any, Any]:
    """Returns how alike the means of windows are, and their contrasts, for each place and channel."""
    steps = np.square(np.arange(filter_size, dtype=np.float32) - (filter_size - 1) / 2)
    weights = np.exp(-0.5 / filter_sigma**2 * (steps[:, None] + steps))
    shape: Any = first.shape
    if min(shape[-3:-1]) < filter_size:
        raise InvalidArgumentError(
            f"Images of {shape[-3]} x {shape[-2]} are smaller than the filter of {filter_size}.",
            remedy="Give larger images, or a smaller filter_size.",
            site=here(),
        )
    kernel = np.tile((weights / weights.sum())[:, :, None, None], (1, 1, shape[-1], 1)).astype(np.float32)

    def mean(x: Any) -> Any:
        flat = native.reshape(x, (-1, *shape[-3:]))
        found = depthwise_conv2d(spoken(flat), kernel, [1, 1, 1, 1], "VALID")
        return native.reshape(found, (*shape[:-3], *found.shape[1:]))

    a, b = mean(first), mean(second)
    likeness = (2 * a * b + (k1 * largest) ** 2) / (a * a + b * b + (k1 * largest) ** 2)
    products, squares = 2 * mean(first * second), mean(first * first + second * second)
    contrast = (products - 2 * a * b + (k2 * largest) ** 2) / (
        squares - (a * a + b * b) + (k2 * largest) ** 2
    )
    return likeness, contrast


_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""The weights of five scales, from the paper of Wang, Simoncelli and Bovik (2003)."""


@named("tf.image.ssim_multiscale")
def ssim_multiscale(
    img1: Any, img2: Any, max_val: Any, power_factors: Any = _SCALES, filter_size: int = 11,
    filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
) -> EagerTensor:  # fmt: skip
    """Returns how alike images are at several scales: each but the first is half as large as the one before.

    `power_factors` are the weights of the scales. Images must still be as large as the filter at the last.
    """
    first, second, largest = _compared(img1, img2, max_val)
    factors: list[Any] = []
    for scale, power in enumerate(power_factors):
        if scale:
            first, second = (_halved(one) for one in (first, second))
        likeness, contrast = _likeness(first, second, largest, filter_size, filter_sigma, k1, k2)
        each = contrast if scale + 1 < len(power_factors) else likeness * contrast
        found = native.maximum(native.mean(each, axis=(-3, -2)), native.asarray(0.0, dtype=np.float32))
        factors.append(found ** float(power))
    product: Any = factors[0]
    for one in factors[1:]:
        product = product * one
    return spoken(native.mean(product, axis=-1))


def _halved(x: Any) -> Any:
    """Returns images of half the size: means of two by two pixels; an odd edge counts twice."""
    *outer, height, width, channels = (int(n) for n in x.shape)
    flat = native.reshape(x, (-1, height, width, channels))
    if height % 2 or width % 2:
        flat = pad(spoken(flat), [(0, 0), (0, height % 2), (0, width % 2), (0, 0)], mode="SYMMETRIC")
    height, width = -(-height // 2), -(-width // 2)
    parts = native.reshape(flat, (-1, height, 2, width, 2, channels))
    return native.reshape(native.mean(parts, axis=(2, 4)), (*outer, height, width, channels))


# -- changes that a seed decides ----------------------------------------------------------------------------


def _drawn(seed: Any, low: float, high: float) -> Any:
    return float(stateless_uniform([], seed, low, high))


@named("tf.image.stateless_random_brightness")
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> EagerTensor:
    """Returns `adjust_brightness` by up to `max_delta`, as two numbers decide."""
    return adjust_brightness(image, _drawn(seed, -max_delta, max_delta))


@named("tf.image.stateless_random_contrast")
def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> EagerTensor:
    """Returns `adjust_contrast` by a factor that two numbers decide."""
    return adjust_contrast(image, _drawn(seed, lower, upper))


@named("tf.image.stateless_random_saturation")
def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> EagerTensor:
    """Returns `adjust_saturation` by a factor that two numbers decide."""
    return adjust_saturation(image, _drawn(seed, lower, upper))


@named("tf.image.stateless_random_hue")
def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> EagerTensor:
    """Returns `adjust_hue` by up to `max_delta`, as two numbers decide."""
    return adjust_hue(image, _drawn(seed, -max_delta, max_delta))


def _seeded(seed: Any) -> Any:
    return lambda shape: stateless_uniform(shape, seed)


@named("tf.image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: Any, seed: Any) -> EagerTensor:
    """Returns images of which each is mirrored from left to right, or not, as two numbers decide."""
    return by_chance(image, flip_left_right, _seeded(seed))


@named("tf.image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: Any, seed: Any) -> EagerTensor:
    """Returns images of which each is mirrored from top to bottom, or not, as two numbers decide."""
    return by_chance(image, flip_up_down, _seeded(seed))


@named("tf.image.stateless_random_crop")
def stateless_random_crop(value: Any, size: Any, seed: Any, name: Any = None) -> EagerTensor:
    """Returns a part of this size, whose place two numbers decide."""
    x: Any = operand(value)
    lengths = lengths_of(size)
    room = [whole - part + 1 for whole, part in zip(x._spec.shape, lengths, strict=True)]
    if min(room) < 1:
        raise ArgumentError(f"Need value.shape >= size, got {x._spec.shape} and {lengths}", site=here())
    return part_at(x, lengths, stateless_uniform([len(room)], seed, 0, (1 << 31) - 1, np.int32))
