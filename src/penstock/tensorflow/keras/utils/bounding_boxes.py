"""tf.keras.utils.bounding_boxes: boxes in several formats, their overlaps, and boxes as differences."""

from __future__ import annotations

import math as _math
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import ops as _ops
from penstock.trace.source_site import here as _here

_FORMATS = (
    "xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", "rel_xyxy", "rel_yxyx", "rel_xywh",
    "rel_center_xywh",
)  # fmt: skip
_EPSILON = 1e-7


def _refuse(text: str) -> None:
    raise _ArgumentError(text, site=_here())


def _four(boxes: Any) -> tuple[Any, Any, Any, Any]:
    return tuple(boxes[..., n : n + 1] for n in range(4))


def _corners(boxes: Any, source: str) -> tuple[Any, Any, Any, Any]:
    """Returns the left, top, right and bottom of boxes."""
    a, b, c, d = _four(boxes)
    if source.startswith("yx") or source.endswith("yxhw"):
        a, b, c, d = b, a, d, c
    if source.endswith(("xyxy", "yxyx")):
        return a, b, c, d
    if source.startswith("center"):
        c, d = c / 2.0, d / 2.0
        return a - c, b - d, a + c, b + d
    return a, b, a + c, b + d


def _written(corners: tuple[Any, Any, Any, Any], target: str) -> Any:
    left, top, right, bottom = corners
    parts: tuple[Any, ...] = corners
    if not target.endswith(("xyxy", "yxyx")):
        width, height = right - left, bottom - top
        start = (left + width / 2.0, top + height / 2.0) if target.startswith("center") else (left, top)
        parts = (*start, width, height)
    if target.startswith("yx") or target.endswith("yxhw"):
        parts = (parts[1], parts[0], parts[3], parts[2])
    return _ops.concatenate(list(parts), axis=-1)


def convert_format(
    boxes: Any, source: str, target: str, height: Any = None, width: Any = None, dtype: Any = "float32"
) -> Any:
    """Returns boxes, the last axis, in another format; "rel_" ones are parts of a height and a width.

    Of a dictionary, its "boxes" are replaced.

    >>> from penstock import tensorflow as tf
    >>> convert = tf.keras.utils.bounding_boxes.convert_format
    >>> print(convert([[1.0, 2.0, 5.0, 8.0]], "xyxy", "center_xywh").numpy())
    [[3. 5. 4. 6.]]
    """
    if isinstance(boxes, dict):
        boxes["boxes"] = convert_format(boxes["boxes"], source, target, height, width, dtype)
        return boxes
    given = _ops.convert_to_tensor(boxes)
    if given.shape[-1] != 4:
        _refuse(
            "`boxes` must be a tensor with the last dimension of 4. Received: boxes.shape="
            f"{tuple(given.shape)}"
        )
    source, target = source.lower(), target.lower()
    if source not in _FORMATS or target not in _FORMATS:
        _refuse(f"Invalid source or target format. Supported formats: {_FORMATS}")
    relative = [one.startswith("rel_") for one in (source, target)]
    if any(relative) and (width is None or height is None):
        _refuse(
            "convert_format() must receive `height` and `width` transforming between relative and absolute "
            f"formats.convert_format() received source=`{source}`, target=`{target}, but height={height} and "
            f"width={width}."
        )
    made = _ops.cast(given, dtype)
    if source == target:
        return made
    corners = _corners(made, source.removeprefix("rel_"))
    if relative != [True, True] and any(relative):
        sides = [_ops.cast(one, dtype) for one in (width, height, width, height)]
        pairs = zip(corners, sides, strict=True)
        corners = tuple(a * b if relative[0] else a / b for a, b in pairs)
    return _written(corners, target.removeprefix("rel_"))


def clip_to_image_size(
    bounding_boxes: Any, height: Any = None, width: Any = None, bounding_box_format: str = "xyxy"
) -> Any:
    """Returns a dictionary with its "boxes" cut at the borders, and -1 as "labels" of those outside."""
    if bounding_box_format not in ("xyxy", "rel_xyxy"):
        raise NotImplementedError(f"clip_to_image_size: {bounding_box_format!r} is not xyxy or rel_xyxy.")
    if bounding_box_format == "xyxy" and (height is None or width is None):
        _refuse("`height` and `width` must be set if `format='xyxy'`.")
    right, bottom = (width, height) if bounding_box_format == "xyxy" else (1.0, 1.0)
    boxes = _clipped(_ops.convert_to_tensor(bounding_boxes["boxes"]), bottom, right)
    made = {**bounding_boxes, "boxes": boxes}
    if bounding_boxes.get("labels") is not None:
        left, top, right, bottom = (one[..., 0] for one in _four(boxes))
        inside = (right - left) * (bottom - top) > 0
        made["labels"] = _ops.where(inside, bounding_boxes["labels"], -1)
    return made


def _clipped(boxes: Any, height: Any, width: Any) -> Any:
    sides = (width, height, width, height)
    return _ops.concatenate(
        [_ops.clip(one, 0, side) for one, side in zip(_four(boxes), sides, strict=True)], axis=-1
    )


def _moved(boxes: Any, left: Any, top: Any) -> Any:
    return _ops.concatenate(
        [one + by for one, by in zip(_four(boxes), (left, top, left, top), strict=True)], axis=-1
    )


def _only_corners(name: str, bounding_box_format: str) -> None:
    if bounding_box_format != "xyxy":
        raise NotImplementedError(f"{name}: {bounding_box_format!r} is not xyxy.")


def crop(boxes: Any, top: Any, left: Any, height: Any, width: Any, bounding_box_format: str = "xyxy") -> Any:
    """Returns boxes as they are in a part of their image."""
    _only_corners("crop", bounding_box_format)
    return _clipped(_moved(_ops.convert_to_tensor(boxes), -left, -top), height, width)


def pad(
    boxes: Any, top: Any, left: Any, height: Any = None, width: Any = None, bounding_box_format: str = "xyxy"
) -> Any:
    """Returns boxes as they are in an image with more rows above it and columns to the left.

    `height` and `width` do nothing, as in Keras.
    """
    _only_corners("pad", bounding_box_format)
    return _moved(_ops.convert_to_tensor(boxes), left, top)


def affine_transform(
    boxes: Any, angle: Any, translate_x: Any, translate_y: Any, scale: Any, shear_x: Any, shear_y: Any,
    height: Any, width: Any, center_x: Any = None, center_y: Any = None, bounding_box_format: str = "xyxy",
) -> Any:  # fmt: skip
    """Returns the boxes [batch, boxes, 4] around others whose images are turned, moved, scaled and sheared.

    The numbers have one element for each image.
    """
    _only_corners("affine_transform", bounding_box_format)
    turn, across, down = (_ops.convert_to_tensor(one) for one in (angle, shear_x, shear_y))
    turn, across, down = (-one * (_math.pi / 180.0) for one in (turn, across, down))
    scale = _ops.convert_to_tensor(scale)
    x = (0.5 if center_x is None else center_x) * (width - 1)
    y = (0.5 if center_y is None else center_y) * (height - 1)
    moved_x = x - _ops.convert_to_tensor(translate_x) * (width - 1)
    moved_y = y - _ops.convert_to_tensor(translate_y) * (height - 1)
    a = _ops.cos(turn - down) / _ops.cos(down)
    b = a * _ops.tan(across) + _ops.sin(turn)
    c = -_ops.sin(turn - down) / _ops.cos(down)
    d = _ops.cos(turn) - c * _ops.tan(across)
    rows = ((d * scale, -b * scale), (-c * scale, a * scale))
    left, top, right, bottom = (one[..., 0] for one in _four(_ops.cast(boxes, turn.dtype)))
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    ends = []
    for (first, second), middle in zip(rows, (x, y), strict=True):
        rest = (middle - first * moved_x - second * moved_y)[:, None]
        places = _ops.stack([first[:, None] * u + second[:, None] * v + rest for u, v in corners], axis=-1)
        ends.append((_ops.min(places, axis=-1), _ops.max(places, axis=-1)))
    (left, right), (top, bottom) = ends
    return _ops.stack([left, top, right, bottom], axis=-1)


def _sides(image_shape: Any) -> tuple[Any, Any]:
    return (None, None) if image_shape is None else tuple(image_shape)[:2]


def compute_iou(
    boxes1: Any, boxes2: Any, bounding_box_format: str, use_masking: bool = False, mask_val: float = -1,
    image_shape: Any = None,
) -> Any:  # fmt: skip
    """Returns the intersection over the union of each of some boxes with each of others.

    With `use_masking`, boxes without a number that is not negative have `mask_val`.
    """
    ranks = [len(_ops.shape(_ops.convert_to_tensor(one))) for one in (boxes1, boxes2)]
    for word, rank in (("boxes1", ranks[0]), ("boxes2", ranks[1])):
        if rank not in (2, 3):
            _refuse(
                f"compute_iou() expects {word} to be batched, or to be unbatched. Received "
                f"len(boxes1.shape)={ranks[0]}, len(boxes2.shape)={ranks[1]}. Expected either "
                f"len({word}.shape)=2 AND or len({word}.shape)=3."
            )
    if "rel" in bounding_box_format and image_shape is None:
        _refuse(
            "When using relative bounding box formats (e.g. `rel_yxyx`) the `image_shape` argument must be "
            f"provided.Received `image_shape`: {image_shape}"
        )
    height, width = _sides(image_shape)
    first, second = (
        convert_format(one, bounding_box_format, "yxyx", height, width) for one in (boxes1, boxes2)
    )
    ours = [one[..., 0][..., :, None] for one in _four(first)]
    theirs = [one[..., 0][..., None, :] for one in _four(second)]
    high = _ops.maximum(_ops.minimum(ours[2], theirs[2]) - _ops.maximum(ours[0], theirs[0]), 0.0)
    wide = _ops.maximum(_ops.minimum(ours[3], theirs[3]) - _ops.maximum(ours[1], theirs[1]), 0.0)
    both = high * wide
    areas = [(one[2] - one[0]) * (one[3] - one[1]) for one in (ours, theirs)]
    found = both / (areas[0] + areas[1] - both + _EPSILON)
    if not use_masking:
        return found
    missing = _ops.logical_or(
        (_ops.max(first, axis=-1) < 0)[..., :, None], (_ops.max(second, axis=-1) < 0)[..., None, :]
    )
    return _ops.where(missing, _ops.cast(mask_val, found.dtype), found)


def compute_ciou(boxes1: Any, boxes2: Any, bounding_box_format: str, image_shape: Any = None) -> Any:
    """Returns the complete intersection over union of pairs of boxes: Zheng et al. (2021)."""
    if "rel" in bounding_box_format:
        _refuse(
            "When using relative bounding box formats (e.g. `rel_yxyx`) the `image_shape` argument must be "
            f"provided.Received `image_shape`: {image_shape}"
        )
    height, width = _sides(image_shape)
    (a, b, c, d), (e, f, g, h) = (
        tuple(side[..., 0] for side in _four(convert_format(one, bounding_box_format, "xyxy", height, width)))
        for one in (boxes1, boxes2)
    )
    wide, other_wide, high, other_high = c - a, g - e, d - b + _EPSILON, h - f + _EPSILON
    both = _ops.maximum(_ops.minimum(c, g) - _ops.maximum(a, e), 0.0)
    both = both * _ops.maximum(_ops.minimum(d, h) - _ops.maximum(b, f), 0.0)
    union = wide * high + other_wide * other_high - both + _EPSILON
    iou = both / (union + _EPSILON)
    around = (_ops.maximum(c, g) - _ops.minimum(a, e)) ** 2
    around = around + (_ops.maximum(d, h) - _ops.minimum(b, f)) ** 2 + _EPSILON
    distance = ((a + c) / 2 - (e + g) / 2) ** 2 + ((b + d) / 2 - (f + h) / 2) ** 2
    v = (4 / _math.pi**2) * (_ops.arctan(other_wide / other_high) - _ops.arctan(wide / high)) ** 2
    alpha = v / (v - iou + (1 + _EPSILON))
    return iou - (distance / around + v * alpha)


def _divisors(variance: Any, word: str, given: str) -> Any:
    if variance is not None:
        variance = _ops.convert_to_tensor(variance, "float32")
        if variance.shape[-1] != 4:
            _refuse(f"`variance` must be length 4, got {variance}")
    if given not in ("center_xywh", "center_yxhw"):
        _refuse(
            f"`{word}` should be one of 'center_xywh' or 'center_yxhw', got {given}"
            if word == "encoding_format"
            else f"`{word}` should be 'center_xywh' or 'center_yxhw', but got '{given}'."
        )
    return variance


def encode_box_to_deltas(
    anchors: Any, boxes: Any, anchor_format: str, box_format: str, encoding_format: str = "center_yxhw",
    variance: Any = None, image_shape: Any = None,
) -> Any:  # fmt: skip
    """Returns boxes as differences from anchors: of the centres in their sizes, and logarithms of sizes."""
    variance = _divisors(variance, "encoding_format", encoding_format)
    height, width = _sides(image_shape)
    known = convert_format(anchors, anchor_format, encoding_format, height, width)
    wanted = convert_format(boxes, box_format, encoding_format, height, width)
    size = _ops.maximum(known[..., 2:], _EPSILON)
    other = _ops.maximum(wanted[..., 2:], _EPSILON)
    made = _ops.concatenate([(wanted[..., :2] - known[..., :2]) / size, _ops.log(other / size)], axis=-1)
    return made if variance is None else made / variance


def decode_deltas_to_boxes(
    anchors: Any, boxes_delta: Any, anchor_format: str, box_format: str, encoded_format: str = "center_yxhw",
    variance: Any = None, image_shape: Any = None,
) -> Any:  # fmt: skip
    """Returns the boxes of differences from anchors: see `encode_box_to_deltas`."""
    if isinstance(anchors, dict) and isinstance(boxes_delta, dict):
        return {
            level: decode_deltas_to_boxes(
                one, boxes_delta[level], anchor_format, box_format, encoded_format, variance, image_shape
            )
            for level, one in anchors.items()
        }
    variance = _divisors(variance, "encoded_format", encoded_format)
    height, width = _sides(image_shape)
    known = convert_format(anchors, anchor_format, encoded_format, height, width)
    delta = _ops.convert_to_tensor(boxes_delta)
    delta = delta if variance is None else delta * variance
    size = known[..., 2:]
    made = _ops.concatenate(
        [delta[..., :2] * size + known[..., :2], _ops.exp(delta[..., 2:]) * size], axis=-1
    )
    return convert_format(made, encoded_format, box_format, height, width)


__getattr__, __dir__, __all__ = _namespace("tf.keras.utils.bounding_boxes", globals())
