"""Parts of an image drawn by chance, each of which covers enough of one of its bounding boxes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.functions.philox_keys import common
from penstock.functions.scratch import Scratch
from penstock.ops import philox
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._numbers_of_keys import key_of_seed
from penstock.tensorflow._seeds import key_of, key_of_pair
from penstock.trace.builder import require_no_recording
from penstock.trace.local import local, value_of
from penstock.trace.source_site import here

ASPECTS, AREAS, ATTEMPTS = (0.75, 1.33), (0.05, 1.0), 100
"""What TensorFlow takes where nothing is given: ratios of width to height, parts of the area, and tries."""
Box = tuple[int, int, int, int]
"""The first and last column and row, the last ones excluded: x0, y0, x1, y1."""


class BoundingBox(NamedTuple):
    """Where a part of an image begins, how large it is, and the part as a box [1, 1, 4]."""

    begin: Any
    size: Any
    bboxes: Any


class _Numbers:
    """The numbers that TensorFlow's kernels draw one by one from the words of Philox."""

    def __init__(self, key: np.ndarray[Any, Any]) -> None:
        self._words = self._following(key)

    def _following(self, key: np.ndarray[Any, Any]) -> Iterator[int]:
        block = 0
        while True:
            places = np.arange(block, block + 64, dtype=np.uint64)
            yield from philox.words_at(np, key, places).ravel().tolist()
            block += 64

    def fraction(self) -> np.float32:
        """Returns a number from 0 to 1, of 23 bits."""
        bits = np.uint32((127 << 23) | (next(self._words) & 0x7FFFFF))
        return bits.view(np.float32) - np.float32(1.0)

    def below(self, count: int) -> int:
        """Returns a whole number from 0 up to `count`, which is excluded."""
        word = next(self._words)
        if count & (count - 1) == 0:
            return word & (count - 1)
        # What would make small numbers likelier is drawn again.
        least = 0xFFFFFFFF % count + 1
        while word < least:
            word = next(self._words)
        return word % count


def _area(box: Box) -> int:
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def _common(a: Box, b: Box) -> Box:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def _covers(crop: Box, boxes: list[Box], least: float) -> bool:
    if _area(crop) < 1:
        return False
    return any(
        np.float32(_area(_common(crop, one))) / np.float32(_area(one)) >= least
        for one in boxes
        if _area(one) >= 1
    )


def _crop(width: int, height: int, areas: tuple[Any, Any], aspect: Any, numbers: _Numbers) -> Box | None:
    """Returns a part of this ratio of width to height, None where none of the sizes fits."""
    whole = np.float32
    if areas[1] <= 0.0 or aspect <= 0.0 or width <= 0 or height <= 0 or areas[0] > areas[1]:
        return None
    least, most = (one * whole(width) * whole(height) for one in areas)
    rows, last = (int(np.rint(np.sqrt(one / aspect))) for one in (least, most))
    if int(np.rint(whole(last) * aspect)) > width:
        last = int((width + 0.5 - 1e-7) / aspect)
        if int(np.rint(whole(last) * aspect)) > width:
            last -= 1
    last = min(last, height)
    rows = min(rows, last)
    if rows < last:
        rows += numbers.below(last - rows + 1)

    def columns_of(rows: int) -> int:
        return int(np.rint(whole(rows) * aspect))

    columns = columns_of(rows)
    # Rounding may leave the area a little too small, or too large.
    if whole(columns * rows) < least:
        rows += 1
        columns = columns_of(rows)
    if whole(columns * rows) > most:
        rows -= 1
        columns = columns_of(rows)
    area = whole(columns * rows)
    if area < least or area > most or columns > width or rows > height or columns <= 0 or rows <= 0:
        return None
    top = numbers.below(height - rows) if rows < height else 0
    left = numbers.below(width - columns) if columns < width else 0
    return left, top, left + columns, top + rows


def _sampled(
    image_size: Any, bounding_boxes: Any, key: Callable[[int], Any], least: Any, aspect_ratio_range: Any,
    area_range: Any, max_attempts: Any, whole_image: Any,
) -> BoundingBox:  # fmt: skip
    if not isinstance(local.trace, Scratch):
        require_no_recording("sample_distorted_bounding_box", "Draw boxes before the step.")
    size = operand(image_size)
    lengths = np.asarray(value_of(size))
    if lengths.shape != (3,):
        raise InvalidArgumentError(
            f"image_size must contain 3 elements {list(lengths.shape)}",
            remedy="Give height, width and channels: image_size=tf.shape(image).",
            site=here(),
        )
    height, width = int(lengths[0]), int(lengths[1])
    given = np.asarray(value_of(operand(bounding_boxes, np.dtype(np.float32))))
    if given.ndim != 3 or given.shape[-1] != 4:
        raise InvalidArgumentError(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {list(given.shape)}"
            if given.ndim != 3
            else f"bounding boxes must have shape [4] or [*, 4], got {list(given.shape)}",
            remedy="Give boxes [1, boxes, 4], each top, left, bottom and right from 0 to 1.",
            site=here(),
        )
    aspects = tuple(map(np.float32, ASPECTS if aspect_ratio_range is None else aspect_ratio_range))
    areas = tuple(map(np.float32, AREAS if area_range is None else area_range))
    _check_ranges(aspects, areas)
    boxes = _boxes(given.reshape(-1, 4), width, height)
    if not boxes:
        if not whole_image:
            raise InvalidArgumentError(
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you "
                "wish to not provide any bounding boxes.",
                remedy="Write use_image_if_no_bounding_boxes=True, or give boxes [1, boxes, 4].",
                site=here(),
            )
        boxes = [(0, 0, width, height)]
    attempts = ATTEMPTS if max_attempts is None else int(max_attempts)
    numbers = _Numbers(np.asarray(value_of(key(attempts))))
    wanted = np.float32(np.asarray(value_of(operand(least, np.dtype(np.float32)))))
    found: Box = (0, 0, width, height)
    for _ in range(attempts):
        aspect = numbers.fraction() * (aspects[1] - aspects[0]) + aspects[0]
        crop = _crop(width, height, (areas[0], areas[1]), aspect, numbers)
        if crop is not None and _covers(crop, boxes, float(wanted)):
            found = crop
            break
    left, top, right, bottom = found
    parts = np.array([top, left, bottom, right], np.float32) / np.array([height, width] * 2, np.float32)
    return BoundingBox(
        constant(np.array([top, left, 0], lengths.dtype)),
        constant(np.array([bottom - top, right - left, -1], lengths.dtype)),
        constant(parts.reshape(1, 1, 4)),
    )


def _check_ranges(aspects: tuple[Any, ...], areas: tuple[Any, ...]) -> None:
    for called, word, one in (
        ("Aspect ratio range", "aspect_ratio_range", aspects), ("Area range", "area_range", areas),
    ):  # fmt: skip
        ends = f"[{', '.join(f'{n:g}' for n in one)}]"
        if len(one) != 2:
            fact = f"{called} field must specify 2 dimensions"
        elif min(one) <= 0:
            fact = f"{called} must be non-negative: {ends}"
        elif word == "area_range" and max(one) > 1:
            fact = f"{called} must be less then or equal to 1.0: {ends}"
        else:
            continue
        raise InvalidArgumentError(
            fact, origin=f"{word} is {ends}", remedy="Give a lower and an upper end above 0.", site=here()
        )


def _boxes(given: Any, width: int, height: int) -> list[Box]:
    found = []
    for one in given:
        if not (one >= 0).all() or not (one <= 1).all():
            raise InvalidArgumentError(
                "All bounding box coordinates must be in [0.0, 1.0]: " + " ".join(f"{n:g}" for n in one),
                remedy="Divide rows by the height of the image, and columns by its width.",
                site=here(),
            )
        top, bottom = (int(np.float32(height) * one[i]) for i in (0, 2))
        left, right = (int(np.float32(width) * one[i]) for i in (1, 3))
        found.append((left, top, right, bottom))
    return found


@named("tf.image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: Any, bounding_boxes: Any, seed: Any = 0, min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None, name: Any = None,
) -> BoundingBox:  # fmt: skip
    """Returns a part of an image, drawn by chance, that covers enough of one of the boxes.

    `begin` and `size` are for `tf.slice`; `bboxes` [1, 1, 4] is the part as `tf.image.draw_bounding_boxes`
    takes it. `image_size` is height, width and channels; boxes [1, boxes, 4] are top, left, bottom and right
    from 0 to 1. The part has a ratio of width to height, and a share of the area, in the ranges given, 0.75
    to 1.33 and 0.05 to 1 where none are. If no try succeeds, it is the whole image.

    >>> from penstock import tensorflow as tf
    >>> box = tf.constant([[[0.0, 0.0, 1.0, 1.0]]])
    >>> begin, size, _ = tf.image.sample_distorted_bounding_box([8, 6, 3], box, seed=1, area_range=(1.0, 1.0),
    ...     aspect_ratio_range=(0.75, 0.75))
    >>> print(begin.numpy(), size.numpy())
    [0 0 0] [ 8  6 -1]
    """

    kind = _kind(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    return _sampled(
        image_size, bounding_boxes,
        lambda attempts: key_of(seed, kind, (attempts,), 1) if seed else common.key(),
        min_object_covered, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes,
    )  # fmt: skip


@named("tf.compat.v1.image.sample_distorted_bounding_box")
def sample_distorted_bounding_box_v1(
    image_size: Any, bounding_boxes: Any, seed: Any = None, seed2: Any = None, min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None, name: Any = None,
) -> BoundingBox:  # fmt: skip
    """Does the same as `tf.image.sample_distorted_bounding_box`; both seeds are those of the operation."""
    kind = _kind(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    pair = int(seed or 0), int(seed2 or 0)
    return _sampled(
        image_size, bounding_boxes, lambda attempts: key_of_pair(pair, kind, attempts), min_object_covered,
        aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes,
    )  # fmt: skip


def _kind(aspects: Any, areas: Any, attempts: Any, whole_image: Any) -> tuple[Any, ...]:
    """Returns what TensorFlow tells operations apart by, beside their seeds."""
    ranges = tuple(map(float, aspects or ASPECTS)), tuple(map(float, areas or AREAS))
    return "SampleDistortedBoundingBoxV2", *ranges, attempts, bool(whole_image)


@named("tf.image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size: Any, bounding_boxes: Any, seed: Any, min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None, name: Any = None,
) -> BoundingBox:  # fmt: skip
    """Does the same as `tf.image.sample_distorted_bounding_box`, for a seed of two numbers."""
    frame = sys._getframe(1)
    return _sampled(
        image_size, bounding_boxes, lambda attempts: key_of_seed(seed, "philox", frame), min_object_covered,
        aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes,
    )  # fmt: skip


__all__ = [
    "BoundingBox",
    "sample_distorted_bounding_box",
    "sample_distorted_bounding_box_v1",
    "stateless_sample_distorted_bounding_box",
]
