"""Bounding boxes drawn into pictures, and the best of many boxes of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant, operand, tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._image_parts import chosen_boxes, overlaps_of
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here

PALETTE = np.array(
    [
        (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1), (0.5, 0.5, 0, 1),
        (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
    ],
    np.float32,
)  # fmt: skip
"""The colours of boxes for which none is given, in turn: red, green, blue and opacity."""


@named("tf.image.draw_bounding_boxes")
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any = None, name: Any = None) -> EagerTensor:
    """Returns images [batch, height, width, channels] with the lines of boxes [batch, boxes, 4] drawn in.

    A box is [top, left, bottom, right] in parts of the height and the width; lines that lie outside are not
    drawn. `colors` is [colours, channels], which take turns. No gradient passes.

    >>> from penstock import tensorflow as tf
    >>> box = [[[0.0, 0.0, 1.0, 1.0]]]
    >>> tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), box, [[1.0]]).numpy()[0, :, :, 0].tolist()
    [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    x = operand(images)
    if len(x._spec.shape) != 4:
        raise InvalidArgumentError("The rank of the images should be 4", site=here())
    canvas, frames = np.array(x.numpy()), np.asarray(tensor_of(boxes).numpy(), np.float32)
    batch, height, width, channels = canvas.shape
    if frames.ndim != 3 or frames.shape[0] != batch or frames.shape[2] != 4:
        raise InvalidArgumentError(
            f"The boxes should have the shape [{batch}, boxes, 4], and have {list(frames.shape)}.",
            site=here(),
        )
    paints = _paints(colors, channels).astype(canvas.dtype)
    for picture, own in zip(canvas, frames, strict=True):
        for number, box in enumerate(own):
            _draw(picture, box, height, width, paints[number % len(paints)])
    return constant(canvas)


def _paints(colors: Any, channels: int) -> Any:
    given = None if colors is None else np.asarray(tensor_of(colors).numpy())
    if given is None or not len(given):
        # One channel is opaque white.
        return np.ones((1, 1), np.float32) if channels == 1 else PALETTE[:, :channels]
    if given.ndim != 2 or given.shape[1] < channels:
        raise InvalidArgumentError(
            f"colors must be a matrix with {channels} columns, and has the shape {list(given.shape)}.",
            site=here(),
        )
    return given[:, :channels]


def _draw(picture: Any, box: Any, height: int, width: int, paint: Any) -> None:
    top, bottom = (int(one * np.float32(height - 1)) for one in (box[0], box[2]))
    left, right = (int(one * np.float32(width - 1)) for one in (box[1], box[3]))
    empty = top > bottom or left > right
    if empty or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            picture[row, columns] = paint
    for column in (left, right):
        if 0 <= column < width:
            picture[rows, column] = paint


@named("tf.image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = -np.inf, pad_per_class: bool = False, clip_boxes: bool = True, name: Any = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Returns boxes, scores, classes and their number, the best of each class that overlap no better one.

    Boxes are [batch, boxes, classes or 1, 4], scores [batch, boxes, classes]. The results are filled up with
    zeros to `max_total_size`, or with `pad_per_class` to at most `max_output_size_per_class` of each class.
    No gradient passes.

    >>> from penstock import tensorflow as tf
    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> found = tf.image.combined_non_max_suppression(boxes, [[[0.5], [0.9]]], 2, 2)
    >>> found[1].numpy().tolist(), found[3].numpy().tolist()
    ([[0.8999999761581421, 0.0]], [1])
    """
    every = np.asarray(tensor_of(boxes).numpy(), np.float32)
    marks = np.asarray(tensor_of(scores).numpy(), np.float32)
    each, most = (int(tensor_of(one).numpy()) for one in (max_output_size_per_class, max_total_size))
    limit, least = (float(tensor_of(one).numpy()) for one in (iou_threshold, score_threshold))
    classes = marks.shape[2]
    count = min(most, each * classes) if pad_per_class else most
    made = np.zeros((len(every), count, 4), np.float32)
    numbers = np.zeros((2, len(every), count), np.float32)
    valid = np.zeros(len(every), np.int32)
    for place, (own, marked) in enumerate(zip(every, marks, strict=True)):
        rows = []
        for kind in range(classes):
            frames = own[:, kind if own.shape[1] > 1 else 0]
            for one in chosen_boxes(overlaps_of(frames), marked[:, kind], each, limit, least):
                rows.append((float(marked[one, kind]), kind, frames[one]))
        rows.sort(key=lambda row: -row[0])
        for at, (mark, kind, frame) in enumerate(rows[:count]):
            made[place, at] = np.clip(frame, 0, 1) if clip_boxes else frame
            numbers[:, place, at] = mark, kind
        valid[place] = min(len(rows), count)
    return constant(made), constant(numbers[0]), constant(numbers[1]), constant(valid)


@named("tf.image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"), pad_to_max_output_size: bool = False, name: Any = None,
    sorted_input: bool = False, canonicalized_coordinates: bool = False, tile_size: int = 512,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the places of the best boxes that overlap no better one, and how many there are.

    With `pad_to_max_output_size` the places of each image are filled up with zeros to `max_output_size`;
    boxes [batch, boxes, 4] need it. `sorted_input`, `canonicalized_coordinates` and `tile_size` do nothing:
    they make TensorFlow faster. No gradient passes.

    >>> from penstock import tensorflow as tf
    >>> boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]])
    >>> found, count = tf.image.non_max_suppression_padded(boxes, tf.constant([0.5, 0.9, 0.4]), 3)
    >>> found.numpy().tolist(), int(count)
    ([1, 2], 2)
    """
    every = np.asarray(tensor_of(boxes).numpy(), np.float32)
    marks = np.asarray(tensor_of(scores).numpy(), np.float32)
    most = int(tensor_of(max_output_size).numpy())
    if every.ndim > 2 and not pad_to_max_output_size:
        raise ArgumentError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input",
            site=here(),
        )
    limit, least = (float(tensor_of(one).numpy()) for one in (iou_threshold, score_threshold))
    outer = marks.shape[:-1]
    rows = [
        chosen_boxes(overlaps_of(own), marked, most, limit, least)
        for own, marked in zip(
            every.reshape(-1, *every.shape[-2:]), marks.reshape(-1, marks.shape[-1]), strict=True
        )
    ]
    counts = np.array([len(row) for row in rows], np.int32)
    width = most if pad_to_max_output_size else int(counts.max(initial=0))
    places = np.zeros((len(rows), width), np.int32)
    for place, row in zip(places, rows, strict=True):
        place[: len(row)] = row
    return constant(places.reshape(*outer, width)), constant(counts.reshape(outer))


def _glimpses(
    input: Any, size: Any, offsets: Any, centered: bool, normalized: bool, noise: str, halves: bool
) -> Any:
    """Returns windows of images; `halves` says that half a window is always taken off the offset."""
    images = np.asarray(tensor_of(input).numpy())
    tall, wide = (int(n) for n in np.ravel(tensor_of(size).numpy()))
    if noise not in ("uniform", "gaussian", "zero"):
        raise InvalidArgumentError(
            f"The noise could only be uniform, gaussian, or zero, got{noise}", site=here()
        )
    batch, height, width, channels = images.shape
    generator = np.random.default_rng()
    shape = (batch, tall, wide, channels)
    if noise == "uniform":
        found = generator.uniform(images.min(initial=0.0), images.max(initial=0.0), shape)
    elif noise == "gaussian":
        found = generator.normal(
            images.mean() if images.size else 0.0, images.std() if images.size else 0.0, shape
        )
    else:
        found = np.zeros(shape)
    found = found.astype(images.dtype)
    for number, given in enumerate(np.asarray(tensor_of(offsets).numpy(), np.float32)):
        corners = []
        for offset, whole, part in zip(given, (height, width), (tall, wide), strict=True):
            at = np.float32(offset * whole if normalized else offset)
            if centered:
                at = np.float32((at / 2 if normalized or halves else at) + np.float32(whole / 2))
            if halves or (centered and normalized):
                at = np.float32(at - np.float32(part / 2))
            corners.append(int(at))
        rows, columns = (
            np.arange(max(0, -corner), max(0, min(part, whole - corner)))
            for corner, part, whole in zip(corners, (tall, wide), (height, width), strict=True)
        )
        if rows.size and columns.size:
            inside = images[number][np.ix_(rows + corners[0], columns + corners[1])]
            found[number][np.ix_(rows, columns)] = inside
    return constant(found)


@named("tf.image.extract_glimpse")
def extract_glimpse(
    input: Any, size: Any, offsets: Any, centered: bool = True, normalized: bool = True,
    noise: str = "uniform", name: Any = None,
) -> Any:  # fmt: skip
    """Returns windows [batch, *size, channels] of images at offsets (y, x), with `noise` outside of an image.

    Normalized offsets are from -1 to 1 where they count from the centre, and from 0 to 1 where they count
    from the upper left corner. Offsets that are centered and not normalized are those of the window's corner
    from the centre. No gradient passes, and the noise differs from run to run.

    >>> from penstock import tensorflow as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(image, [1, 1], [[0.0, 0.0]]).numpy().ravel().tolist()
    [4.0]
    """
    return _glimpses(input, size, offsets, centered, normalized, noise, False)


@named("tf.compat.v1.image.extract_glimpse")
def older_extract_glimpse(
    input: Any, size: Any, offsets: Any, centered: bool = True, normalized: bool = True,
    uniform_noise: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns windows of images as TensorFlow 1 places them: half a window is always taken off the offset."""
    kind = "uniform" if uniform_noise else "gaussian"
    return _glimpses(input, size, offsets, centered, normalized, kind, True)


__all__ = [
    "combined_non_max_suppression", "draw_bounding_boxes", "extract_glimpse", "non_max_suppression_padded",
]  # fmt: skip
