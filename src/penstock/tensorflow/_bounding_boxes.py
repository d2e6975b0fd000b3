"""Bounding boxes drawn into pictures, and the best of many boxes of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant, operand, tensor_of
from penstock.tensorflow._errors import InvalidArgumentError
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


__all__ = ["combined_non_max_suppression", "draw_bounding_boxes"]
