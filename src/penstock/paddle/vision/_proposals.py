"""Boxes that a detector proposes: the best of many, and the level of a pyramid that each belongs to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import RefusedError
from penstock.trace.source_site import here

Array = np.ndarray[Any, Any]


def _shares(boxes: Array, more: float) -> Array:
    """Returns the area in common of each two boxes, as a share of the area of both."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    both = np.prod(np.maximum(high - low + more, 0.0), -1)
    sizes = boxes[:, 2:] - boxes[:, :2]
    areas = np.where((sizes < 0.0).any(-1), 0.0, np.prod(sizes + more, -1))
    total = areas[:, None] + areas[None, :] - both
    apart = (low > high).any(-1)
    share: Array = np.divide(both, total, out=np.zeros_like(both), where=(total > 0.0) & ~apart)
    return share


@named("paddle.vision.ops.matrix_nms")
def matrix_nms(
    bboxes: Any, scores: Any, score_threshold: float, post_threshold: float, nms_top_k: int,
    keep_top_k: int, use_gaussian: bool = False, gaussian_sigma: float = 2.0, background_label: int = 0,
    normalized: bool = True, return_index: bool = False, return_rois_num: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the boxes to keep, with how many each image has, and where they stood.

    `bboxes` are [N, M, 4], `scores` [N, classes, M]. A score becomes smaller the more a box is covered by a
    better one of its class that is not covered itself (Wang et al., 2020); boxes are kept while it is above
    `post_threshold`. Each row of the result is the class, the score and the box; places count through all
    images. Values are looked at.
    """
    boxes, rank = np.asarray(operand(bboxes)), np.asarray(operand(scores))
    rows: list[Array] = []
    places: list[int] = []
    counts = []
    for image in range(len(boxes)):
        found: list[tuple[float, int, int]] = []
        for label in range(rank.shape[1]):
            if label == background_label:
                continue
            found += [
                (score, label, place)
                for place, score in _decayed(
                    boxes[image].astype(np.float64), rank[image, label].astype(np.float64), score_threshold,
                    post_threshold, nms_top_k, gaussian_sigma if use_gaussian else None,
                    0.0 if normalized else 1.0,
                )
            ]  # fmt: skip
        found.sort(key=lambda one: -one[0])
        found = found if keep_top_k < 0 else found[:keep_top_k]
        counts.append(len(found))
        rows += [np.asarray([label, score, *boxes[image, place]]) for score, label, place in found]
        places += [image * boxes.shape[1] + place for _, _, place in found]
    kept = np.asarray(rows, boxes.dtype).reshape(-1, 6)
    numbers = data(np.asarray(counts, np.int32)) if return_rois_num else None
    index = data(np.asarray(places, np.int32).reshape(-1, 1)) if return_index else None
    return data(kept), numbers, index


def _decayed(
    boxes: Array, rank: Array, least: float, last: float, most: int, sigma: float | None, more: float
) -> list[tuple[int, float]]:
    """Returns the places of the boxes of a class that are kept, with their scores."""
    order = np.argsort(-rank, kind="stable")
    order = order[rank[order] > least]
    order = order if most < 0 else order[:most]
    if not len(order):
        return []
    shares = np.tril(_shares(boxes[order], more), -1)
    covered = shares.max(1)
    if sigma is None:
        decay = (1.0 - shares) / (1.0 - covered)
    else:
        decay = np.exp((covered**2 - shares**2) * sigma)
    decay = np.where(np.tri(len(order), k=-1, dtype=bool), decay, 1.0)
    final = rank[order] * decay.min(1)
    return [(int(place), float(score)) for place, score in zip(order, final) if score > last]


@named("paddle.vision.ops.distribute_fpn_proposals")
def distribute_fpn_proposals(
    fpn_rois: Any, min_level: int, max_level: int, refer_level: int, refer_scale: int,
    pixel_offset: bool = False, rois_num: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns boxes [n, 4] by their levels in a pyramid, the position of each, and the counts.

    A box of size `refer_scale` belongs to `refer_level`, one of twice that size to the next (Lin et al.,
    2017). `rois_num` says how many boxes each image has. Values are looked at.
    """
    if rois_num is None:
        raise RefusedError("rois_num should not be None in dygraph mode.", site=here())
    boxes, counts = np.asarray(operand(fpn_rois)), np.asarray(operand(rois_num)).astype(int)
    more = 1.0 if pixel_offset else 0.0
    sizes = boxes[:, 2:].astype(np.float64) - boxes[:, :2]
    areas = np.where((sizes < 0.0).any(-1), 0.0, np.prod(sizes + more, -1))
    levels = np.floor(np.log2(np.sqrt(areas) / refer_scale + 1e-8) + refer_level)
    levels = np.clip(levels, min_level, max_level).astype(int)
    images = np.repeat(np.arange(len(counts)), counts)
    own = [np.flatnonzero(levels == level) for level in range(min_level, max_level + 1)]
    order = np.concatenate(own)
    restored = np.empty(len(order), np.int32)
    restored[order] = np.arange(len(order))
    numbers = [np.bincount(images[one], minlength=len(counts)).astype(np.int32) for one in own]
    return [data(boxes[one]) for one in own], data(restored.reshape(-1, 1)), [data(one) for one in numbers]


_LARGEST = math.log(1000.0 / 16.0)


@named("paddle.vision.ops.generate_proposals")
def generate_proposals(
    scores: Any, bbox_deltas: Any, img_size: Any, anchors: Any, variances: Any, pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000, nms_thresh: float = 0.5, min_size: float = 0.1, eta: float = 1.0,
    pixel_offset: bool = False, return_rois_num: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the boxes that a network proposes, the score of each, and how many each image has.

    `scores` are [N, A, h, w], `bbox_deltas` [N, 4 * A, h, w] against `anchors` [h, w, A, 4] (Ren et al.,
    2015). Boxes are cut to the image; small ones go, and those that a better one covers. `return_rois_num`
    must be True, as in Paddle. Values are looked at.
    """
    if not return_rois_num:
        raise RefusedError("return_rois_num should be True in dygraph mode.", site=here())
    rank, shifts, sizes = (np.asarray(operand(one)) for one in (scores, bbox_deltas, img_size))
    around, spread = (np.asarray(operand(one)).reshape(-1, 4) for one in (anchors, variances))
    more = 1.0 if pixel_offset else 0.0
    found, likely, counts = [], [], []
    for image in range(len(rank)):
        own = rank[image].transpose(1, 2, 0).reshape(-1)
        moved = shifts[image].reshape(-1, 4, *shifts.shape[2:]).transpose(2, 3, 0, 1).reshape(-1, 4)
        order = np.argsort(-own, kind="stable")
        order = order[:pre_nms_top_n] if 0 < pre_nms_top_n < len(order) else order
        boxes = _moved(around[order], moved[order], spread[order], more)
        high, wide = sizes[image]
        boxes[:, 0::2] = np.clip(boxes[:, 0::2], 0.0, wide - more)
        boxes[:, 1::2] = np.clip(boxes[:, 1::2], 0.0, high - more)
        large = _large(boxes, max(min_size, 1.0), more, wide, high)
        if not len(large):
            boxes, own = np.zeros((1, 4), boxes.dtype), np.zeros(1, own.dtype)
        else:
            kept = large if nms_thresh <= 0 else large[_apart(boxes[large], nms_thresh, eta, more)]
            kept = kept[:post_nms_top_n] if post_nms_top_n > 0 else kept
            boxes, own = boxes[kept], own[order][kept]
        found.append(boxes)
        likely.append(own)
        counts.append(len(boxes))
    rows = np.concatenate(found).astype(rank.dtype)
    return data(rows), data(np.concatenate(likely).reshape(-1, 1)), data(np.asarray(counts, np.int32))


def _moved(around: Array, shifts: Array, spread: Array, more: float) -> Array:
    size = around[:, 2:] - around[:, :2] + more
    middle = around[:, :2] + 0.5 * size
    middle = middle + spread[:, :2] * shifts[:, :2] * size
    size = np.exp(np.minimum(spread[:, 2:] * shifts[:, 2:], _LARGEST)) * size
    return np.concatenate([middle - size / 2, middle + size / 2 - more], -1)


def _large(boxes: Array, least: float, more: float, wide: float, high: float) -> Array:
    size = boxes[:, 2:] - boxes[:, :2] + more
    kept = (size >= least).all(-1)
    if more:
        kept &= (boxes[:, :2] + size / 2 <= [wide, high]).all(-1)
    return np.flatnonzero(kept)


def _apart(boxes: Array, limit: float, eta: float, more: float) -> Array:
    """Returns the places of boxes, best first, that no better one covers; the limit falls by `eta`."""
    shares = _shares(boxes.astype(np.float64), more)
    kept: list[int] = []
    for place in range(len(boxes)):
        if all(shares[place, one] <= limit for one in kept):
            kept.append(place)
            if eta < 1.0 and limit > 0.5:
                limit *= eta
    return np.asarray(kept, int)


__all__ = ["distribute_fpn_proposals", "generate_proposals", "matrix_nms"]
