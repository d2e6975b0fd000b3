"""Functions of boxes in images: their selection, their encoding, and their contents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.paddle import _manipulation, _math
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._introsort import TOP, ordered
from penstock.paddle._names import namespace as _namespace
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here


def _overlaps(one: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the area in common with other boxes, as a share of the area of both."""
    width = np.minimum(one[2], others[:, 2]) - np.maximum(one[0], others[:, 0])
    height = np.minimum(one[3], others[:, 3]) - np.maximum(one[1], others[:, 1])
    both = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    total = (one[2] - one[0]) * (one[3] - one[1]) + areas - both
    share: np.ndarray[Any, Any] = np.divide(both, total, out=np.zeros_like(both), where=total > 0)
    return share


def _kept(boxes: np.ndarray[Any, Any], limit: float) -> np.ndarray[Any, Any]:
    """Returns the places of boxes that no earlier one that is kept covers, in order."""
    left = np.ones(len(boxes), bool)
    for place in range(len(boxes)):
        if left[place]:
            left[place + 1 :] &= ~(_overlaps(boxes[place], boxes[place + 1 :]) > limit)
    return np.flatnonzero(left)


def nms(
    boxes: Any, iou_threshold: float = 0.3, scores: Any = None, category_idxs: Any = None,
    categories: Any = None, top_k: int | None = None,
) -> Any:  # fmt: skip
    """Returns the places of the boxes [n, 4] to keep: none overlaps one that is better by so large a share.

    The best is the one with the highest score, or the first. Boxes of different categories are kept apart; of
    these the `top_k` best are kept, while `top_k` does nothing without categories. Values are looked at.
    """
    array = np.asarray(operand(boxes), np.float64)
    if scores is None:
        return data(_kept(array, iou_threshold).astype(np.int64))
    rank = np.asarray(operand(scores))
    if category_idxs is None:
        order = ordered(rank, -1, True)
        return data(order[_kept(array[order], iou_threshold)])
    if categories is None:
        raise InvalidValueError(
            "if category_idxs is given, categories which is a list is needed", site=here()
        )
    kinds = np.asarray(operand(category_idxs))
    found: list[Any] = []
    for kind in categories:
        own = np.flatnonzero(kinds == kind)
        order = own[ordered(rank[own], -1, True)]
        found.extend(order[_kept(array[order], iou_threshold)])
    places = np.sort(np.asarray(found, np.int64))
    if top_k is None:
        return data(places[ordered(rank[places], -1, True)])
    most = min(top_k, len(places))
    return data(places[ordered(rank[places], -1, True, TOP, most)[:most]])


def box_coder(
    prior_box: Any, prior_box_var: Any, target_box: Any, code_type: str = "encode_center_size",
    box_normalized: bool = True, axis: int = 0, name: Any = None,
) -> Any:  # fmt: skip
    """Returns boxes as shifts of centres and logarithms of sizes against prior boxes, or these as boxes.

    No gradient passes, as in Paddle.
    """
    prior, target = operand(prior_box), operand(target_box)
    more = 0.0 if box_normalized else 1.0
    wide = prior[:, 2] - prior[:, 0] + more
    high = prior[:, 3] - prior[:, 1] + more
    left, top = prior[:, 0] + wide * 0.5, prior[:, 1] + high * 0.5
    spread: Any = None if prior_box_var is None else operand(prior_box_var)
    if code_type == "encode_center_size":
        own_wide, own_high = target[:, 2] - target[:, 0] + more, target[:, 3] - target[:, 1] + more
        x = (target[:, 2] + target[:, 0]) * 0.5
        y = (target[:, 3] + target[:, 1]) * 0.5
        parts = [
            (x.unsqueeze(1) - left) / wide,
            (y.unsqueeze(1) - top) / high,
            _math.log(_math.abs(own_wide.unsqueeze(1) / wide)),
            _math.log(_math.abs(own_high.unsqueeze(1) / high)),
        ]
        found = _manipulation.stack(parts, -1)
        return (found if spread is None else found / spread).detach()
    if code_type != "decode_center_size":
        raise InvalidValueError(f"box_coder: code_type {code_type!r} is not known.", site=here())
    beside = 0 if axis == 0 else 1
    scaled = target
    if spread is not None:
        scaled = target * (spread if spread._spec.ndim == 1 else spread.unsqueeze(beside))
    wide, high, left, top = (one.unsqueeze(beside) for one in (wide, high, left, top))
    x = scaled[..., 0] * wide + left
    y = scaled[..., 1] * high + top
    half_wide, half_high = _math.exp(scaled[..., 2]) * wide * 0.5, _math.exp(scaled[..., 3]) * high * 0.5
    parts = [x - half_wide, y - half_high, x + half_wide - more, y + half_high - more]
    return _manipulation.stack(parts, -1).detach()


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (int(value[0]), int(value[1]))


def _of_images(boxes_num: Any, count: int) -> np.ndarray[Any, Any]:
    """Returns the image in which each box lies."""
    return np.repeat(np.arange(count), np.asarray(operand(boxes_num)).astype(int))


def _points(low: float, size: float, cells: int, ratio: int) -> np.ndarray[Any, Any]:
    """Returns the sampling points along a side of a box: `ratio` points for each cell."""
    count = ratio if ratio > 0 else max(math.ceil(size / cells), 1)
    step = size / cells
    inner = (np.arange(count) + 0.5) * step / count
    return low + np.arange(cells)[:, None] * step + inner[None, :]


def _between(points: np.ndarray[Any, Any], length: int) -> tuple[Any, Any, Any]:
    """Returns the pixel below, the pixel above, and the share of the one above; shares are NaN outside."""
    outside = (points < -1.0) | (points > length)
    kept = np.maximum(points, 0.0)
    low = np.minimum(kept.astype(int), length - 1)
    high = np.minimum(low + 1, length - 1)
    share = np.where(low >= length - 1, 0.0, kept - low)
    return low, high, np.where(outside, np.nan, share)


def roi_align(
    x: Any, boxes: Any, boxes_num: Any, output_size: Any, spatial_scale: float = 1.0,
    sampling_ratio: int = -1, aligned: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the contents of boxes of images, resized to one size: means of values between pixels.

    Gradients reach the images; the boxes are looked at.
    """
    x, (rows, columns) = operand(x), _pair(output_size)
    array = np.asarray(operand(boxes), np.float64) * spatial_scale - (0.5 if aligned else 0.0)
    _, channels, height, width = x._spec.shape
    found = []
    for box, image in zip(array, _of_images(boxes_num, x._spec.shape[0]), strict=True):
        size = box[2:] - box[:2]
        size = size if aligned else np.maximum(size, 1.0)
        places, weights = [], []
        sides = []
        for low, own, cells, length in (
            (box[1], size[1], rows, height), (box[0], size[0], columns, width),
        ):  # fmt: skip
            sides.append(_between(_points(low, own, cells, sampling_ratio), length))
        for at_row in (0, 1):
            for at_column in (0, 1):
                (row, row_share), (column, column_share) = (
                    (side[upper], side[2] if upper else 1.0 - side[2])
                    for side, upper in zip(sides, (at_row, at_column), strict=True)
                )
                places.append(row[:, None, :, None] * width + column[None, :, None, :])
                weights.append(row_share[:, None, :, None] * column_share[None, :, None, :])
        index = np.stack(places, -1).reshape(rows * columns, -1)
        share = np.nan_to_num(np.stack(weights, -1)).reshape(rows * columns, -1)
        share = share * 4.0 / share.shape[1]
        flat = x[int(image)].reshape([channels, height * width])
        taken = _manipulation.gather(flat, data(index.reshape(-1)), 1).reshape([channels, *index.shape])
        summed = _math.sum(taken * data(share.astype(x._spec.dtype)), -1)
        found.append(summed.reshape([channels, rows, columns]))
    return _manipulation.stack(found, 0)


def roi_pool(
    x: Any, boxes: Any, boxes_num: Any, output_size: Any, spatial_scale: float = 1.0, name: Any = None
) -> Any:
    """Returns the contents of boxes of images, resized to one size: the largest pixel of each part.

    Gradients reach the images; the boxes are looked at.
    """
    x, (rows, columns) = operand(x), _pair(output_size)
    array = np.floor(np.asarray(operand(boxes), np.float64) * spatial_scale + 0.5).astype(int)
    _, channels, height, width = x._spec.shape
    found = []
    for box, image in zip(array, _of_images(boxes_num, x._spec.shape[0]), strict=True):
        cells = []
        sides = []
        for low, high, count, length in (
            (box[1], box[3], rows, height), (box[0], box[2], columns, width),
        ):  # fmt: skip
            step = max(high - low + 1, 1) / count
            ends = [(math.floor(i * step) + low, math.ceil((i + 1) * step) + low) for i in range(count)]
            sides.append([(min(max(a, 0), length), min(max(b, 0), length)) for a, b in ends])
        for top, bottom in sides[0]:
            for left, right in sides[1]:
                if bottom <= top or right <= left:
                    cells.append(_math.max(x[int(image)] * 0.0, [1, 2]))
                else:
                    cells.append(_math.max(x[int(image), :, top:bottom, left:right], [1, 2]))
        found.append(_manipulation.stack(cells, -1).reshape([channels, rows, columns]))
    return _manipulation.stack(found, 0)


class RoIAlign(Layer):
    """The contents of boxes of images, resized to one size by means of values between pixels."""

    def __init__(self, output_size: Any, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._given = (output_size, spatial_scale)

    def forward(self, x: Any, boxes: Any, boxes_num: Any, aligned: bool = True) -> Any:
        """Returns the parts of the images."""
        return roi_align(x, boxes, boxes_num, *self._given, aligned=aligned)


class RoIPool(Layer):
    """The contents of boxes of images, resized to one size by the largest pixels."""

    def __init__(self, output_size: Any, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._given = (output_size, spatial_scale)

    def forward(self, x: Any, boxes: Any, boxes_num: Any) -> Any:
        """Returns the parts of the images."""
        return roi_pool(x, boxes, boxes_num, *self._given)


__getattr__, __dir__, _public = _namespace(
    "paddle.vision.ops",
    globals(),
    rest="vision._anchors vision._by_position vision._deformed vision._matching vision._proposals",
    later={"penstock.paddle.vision._light_models": "ConvNormActivation"},
)
