"""Anchor boxes of detectors, and the boxes that they predict from them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle._convert import data, operand


def _several(value: Any) -> list[float]:
    return [float(one) for one in value] if isinstance(value, list | tuple) else [float(value)]


@named("paddle.vision.ops.prior_box")
def prior_box(
    input: Any, image: Any, min_sizes: Any, max_sizes: Any = None, aspect_ratios: Any = (1.0,),
    variance: Any = (0.1, 0.1, 0.2, 0.2), flip: bool = False, clip: bool = False, steps: Any = (0.0, 0.0),
    offset: float = 0.5, min_max_aspect_ratios_order: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the boxes [h, w, boxes, 4] about each place of a map of features, and their variances.

    Corners are shares of the image (Liu et al., 2016). Each of `min_sizes` makes a box for each of the
    `aspect_ratios`, and with `flip` their inverses, and one more of a size between it and its maximum.
    """
    high, wide = operand(input)._spec.shape[2:]
    tall, broad = operand(image)._spec.shape[2:]
    ratios = [1.0]
    for one in _several(aspect_ratios):
        if all(abs(one - other) > 1e-6 for other in ratios):
            ratios += [one, 1.0 / one] if flip else [one]
    down, right = (float(one) for one in reversed(_several(steps)))
    if down == 0.0 or right == 0.0:
        down, right = tall / high, broad / wide
    larger = [] if max_sizes is None else _several(max_sizes)
    halves: list[tuple[float, float]] = []
    for i, size in enumerate(_several(min_sizes)):
        between = [(math.sqrt(size * larger[i]) / 2.0,) * 2] if larger else []
        shaped = [(size * math.sqrt(one) / 2.0, size / math.sqrt(one) / 2.0) for one in ratios]
        if min_max_aspect_ratios_order:
            halves += [shaped[0], *between, *shaped[1:]]
        else:
            halves += [*shaped, *between]
    about = np.asarray(halves)
    x = ((np.arange(wide) + offset) * right)[None, :, None]
    y = ((np.arange(high) + offset) * down)[:, None, None]
    corners = [
        (x - about[:, 0]) / broad,
        (y - about[:, 1]) / tall,
        (x + about[:, 0]) / broad,
        (y + about[:, 1]) / tall,
    ]
    lengths = (high, wide, len(halves))
    boxes = np.stack([np.broadcast_to(one, lengths) for one in corners], -1).astype(np.float32)
    boxes = np.clip(boxes, 0.0, 1.0) if clip else boxes
    spread = np.broadcast_to(np.asarray(_several(variance), np.float32), boxes.shape)
    return data(boxes), data(spread.copy())


def _logistic(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


@named("paddle.vision.ops.yolo_box")
def yolo_box(
    x: Any, img_size: Any, anchors: Any, class_num: int, conf_thresh: float, downsample_ratio: int,
    clip_bbox: bool = True, name: Any = None, scale_x_y: float = 1.0, iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> Any:  # fmt: skip
    """Returns the boxes [N, boxes, 4] in pixels and scores [N, boxes, classes] that a map of YOLOv3 says.

    `x` is [N, anchors * (5 + classes), h, w], with `iou_aware` behind the predicted overlaps of all anchors;
    `img_size` the heights and widths. Where an object is less likely than `conf_thresh` all are 0. Values are
    looked at.
    """
    values, sizes = np.asarray(operand(x).detach()), np.asarray(operand(img_size).detach())
    kind, pairs = values.dtype, np.asarray(anchors, np.float64).reshape(-1, 2)
    count, _, high, wide = values.shape
    overlap = _logistic(values[:, : len(pairs)]) if iou_aware else None
    parts = values[:, len(pairs) if iou_aware else 0 :].reshape(count, len(pairs), 5 + class_num, high, wide)
    tall, broad = (sizes[:, i].reshape(-1, 1, 1, 1).astype(np.float64) for i in (0, 1))
    shift = -0.5 * (scale_x_y - 1.0)
    across, along = np.arange(wide), np.arange(high)[:, None]
    middle_x = (across + _logistic(parts[:, :, 0]) * scale_x_y + shift) * broad / wide
    middle_y = (along + _logistic(parts[:, :, 1]) * scale_x_y + shift) * tall / high
    width = np.exp(parts[:, :, 2]) * pairs[:, 0].reshape(1, -1, 1, 1) * broad / (downsample_ratio * wide)
    height = np.exp(parts[:, :, 3]) * pairs[:, 1].reshape(1, -1, 1, 1) * tall / (downsample_ratio * high)
    sure = _logistic(parts[:, :, 4])
    if overlap is not None:
        sure = sure ** (1.0 - iou_aware_factor) * overlap**iou_aware_factor
    kept = sure >= conf_thresh
    boxes = [middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2]
    if clip_bbox:
        boxes = [
            np.maximum(boxes[0], 0.0), np.maximum(boxes[1], 0.0), np.minimum(boxes[2], broad - 1.0),
            np.minimum(boxes[3], tall - 1.0),
        ]  # fmt: skip
    found = np.where(kept[..., None], np.stack(boxes, -1), 0.0)
    scores = np.moveaxis(sure[:, :, None] * _logistic(parts[:, :, 5:]) * kept[:, :, None], 2, -1)
    return data(found.reshape(count, -1, 4).astype(kind)), data(
        scores.reshape(count, -1, class_num).astype(kind)
    )


@named("paddle.vision.ops.read_file")
def read_file(filename: str, name: Any = None) -> Any:
    """Returns the bytes of a file as a tensor of uint8."""
    with open(filename, "rb") as file:
        return data(np.frombuffer(file.read(), np.uint8).copy())
