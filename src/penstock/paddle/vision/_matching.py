"""The loss of YOLOv3: which predicted boxes are to be the boxes that are there, and how far they are off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.paddle import _manipulation, _math, _scattering
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import functional as F
from penstock.paddle.vision._anchors import _logistic
from penstock.trace.source_site import here

Array = np.ndarray[Any, Any]


class _Match(NamedTuple):
    """A box that is there, and the prediction that is to be it: image, anchor, row, column, and targets."""

    place: tuple[int, int, int, int]
    shift: tuple[float, float]
    size: tuple[float, float]
    weight: float
    score: float
    label: int


@named("paddle.vision.ops.yolo_loss")
def yolo_loss(
    x: Any, gt_box: Any, gt_label: Any, anchors: Sequence[int], anchor_mask: Sequence[int], class_num: int,
    ignore_thresh: float, downsample_ratio: int, gt_score: Any = None, use_label_smooth: bool = True,
    name: Any = None, scale_x_y: float = 1.0,
) -> Any:  # fmt: skip
    """Returns the loss of each image, [N], for a map of predictions x, [N, boxes * (5 + classes), h, w].

    Each box of `gt_box`, [N, B, 4] with centre and size as shares of the image, is to be predicted where its
    centre lies, by the anchor of the most similar shape, if `anchor_mask` has that one (Redmon and Farhadi,
    2018). Other predictions are to say that nothing is there, unless they cover a box by more than
    `ignore_thresh`. `gt_score` weighs the boxes. Gradients reach x; which prediction is to be which box is
    worked out from its values.
    """
    x = operand(x)
    count, channels, high, wide = x._spec.shape
    masks = [int(one) for one in anchor_mask]
    if channels != len(masks) * (5 + class_num):
        raise InvalidValueError(
            f"yolo_loss: x has {channels} channels, and {len(masks)} anchors with {class_num} classes need "
            f"{len(masks) * (5 + class_num)}.",
            site=here(),
        )
    boxes = np.asarray(operand(gt_box).detach(), np.float64)
    labels = np.asarray(operand(gt_label)).astype(int)
    scores = np.ones(labels.shape) if gt_score is None else np.asarray(operand(gt_score).detach(), np.float64)
    pairs = np.asarray(anchors, np.float64).reshape(-1, 2)
    parts = x.reshape([count, len(masks), 5 + class_num, high, wide])
    size = downsample_ratio * high
    predicted = _boxes(np.asarray(parts.detach(), np.float64), pairs[masks], size, scale_x_y)
    sure = np.where(_best(predicted, boxes) > ignore_thresh, -1.0, 0.0)
    matches = list(_matched(boxes, labels, scores, pairs, masks, (high, wide), size))
    for one in matches:
        sure[one.place] = one.score
    kind = x._spec.dtype
    objects = F.binary_cross_entropy_with_logits(
        parts[:, :, 4], data((sure > 1e-5).astype(kind)), reduction="none"
    )
    weights = np.where(sure > 1e-5, sure, (sure > -0.5).astype(float))
    loss = _math.sum(objects * data(weights.astype(kind)), [1, 2, 3])
    if not matches:
        return loss
    return loss + _of_matches(parts, matches, class_num, use_label_smooth)


def _of_matches(parts: Any, matches: list[_Match], classes: int, smooth: bool) -> Any:
    """Returns the loss of place, size and class of the predictions that are to be boxes, by image."""
    kind = parts._spec.dtype
    images, anchors, rows, columns = (data(np.asarray(one)) for one in zip(*(m.place for m in matches)))
    last = _manipulation.transpose(parts, [0, 1, 3, 4, 2])
    found = _manipulation.gather_nd(last, _manipulation.stack([images, anchors, rows, columns], -1))

    def given(values: Any) -> Any:
        return data(np.asarray(values, kind))

    weight = given([[one.weight] for one in matches])
    shift = F.binary_cross_entropy_with_logits(
        found[:, :2], given([one.shift for one in matches]), reduction="none"
    )
    size = _math.abs(found[:, 2:4] - given([one.size for one in matches]))
    rest = min(1.0 / classes, 1.0 / 40.0) if smooth else 0.0
    wanted = np.full((len(matches), classes), rest)
    wanted[np.arange(len(matches)), [one.label for one in matches]] = 1.0 - rest
    named = F.binary_cross_entropy_with_logits(found[:, 5:], given(wanted), reduction="none")
    score = given([one.score for one in matches])
    total = _math.sum((shift + size) * weight, 1) + _math.sum(named, 1) * score
    return _scattering.scatter_nd(images.unsqueeze(1), total, [parts._spec.shape[0]])


def _boxes(parts: Array, pairs: Array, size: int, scale: float) -> Array:
    """Returns predicted centres and sizes, as shares of the image: [N, boxes, h, w, 4]."""
    high, wide = parts.shape[-2:]
    shift = -0.5 * (scale - 1.0)
    x = (np.arange(wide) + _logistic(parts[:, :, 0]) * scale + shift) / wide
    y = (np.arange(high)[:, None] + _logistic(parts[:, :, 1]) * scale + shift) / high
    width = np.exp(parts[:, :, 2]) * pairs[:, 0].reshape(1, -1, 1, 1) / size
    height = np.exp(parts[:, :, 3]) * pairs[:, 1].reshape(1, -1, 1, 1) / size
    return np.stack([x, y, width, height], -1)


def _common(one: Array, other: Array) -> Array:
    """Returns the area in common of boxes given as centres and sizes, as a share of the area of both."""
    low = np.maximum(one[..., :2] - one[..., 2:] / 2, other[..., :2] - other[..., 2:] / 2)
    high = np.minimum(one[..., :2] + one[..., 2:] / 2, other[..., :2] + other[..., 2:] / 2)
    both = np.prod(np.maximum(high - low, 0.0), -1)
    share: Array = both / (np.prod(one[..., 2:], -1) + np.prod(other[..., 2:], -1) - both)
    return share


def _best(predicted: Array, boxes: Array) -> Array:
    """Returns by how much each prediction covers the box that it covers best."""
    there = (boxes[..., 2:] > 1e-6).all(-1)
    found = np.zeros(predicted.shape[:-1])
    for image, box in np.argwhere(there):
        np.maximum(found[image], _common(predicted[image], boxes[image, box]), out=found[image])
    return found


def _matched(
    boxes: Array, labels: Array, scores: Array, pairs: Array, masks: list[int], cells: tuple[int, int],
    size: int,
) -> Any:  # fmt: skip
    high, wide = cells
    for image, number in np.argwhere((boxes[..., 2:] > 1e-6).all(-1)):
        x, y, width, height = boxes[image, number]
        shape = np.asarray([0.0, 0.0, width, height])
        others = np.concatenate([np.zeros_like(pairs), pairs / size], -1)
        anchor = int(np.argmax(_common(others, shape)))
        if anchor not in masks:
            continue
        column, row = int(x * wide), int(y * high)
        score = float(scores[image, number])
        sizes = np.log(width * size / pairs[anchor, 0]), np.log(height * size / pairs[anchor, 1])
        yield _Match(
            (int(image), masks.index(anchor), row, column), (x * wide - column, y * high - row),
            (float(sizes[0]), float(sizes[1])), (2.0 - width * height) * score, score,
            int(labels[image, number]),
        )  # fmt: skip


__all__ = ["yolo_loss"]
