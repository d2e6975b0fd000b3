"""Position-sensitive pooling: each part of a box is looked up in a separate channel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _manipulation, _math
from penstock.paddle._convert import operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn._layer import Layer
from penstock.trace.source_site import here


@named("paddle.vision.ops.psroi_pool")
def psroi_pool(
    x: Any, boxes: Any, boxes_num: Any, output_size: Any, spatial_scale: float = 1.0, name: Any = None
) -> Any:
    """Returns, for each part of each box, the mean of the pixels in the channel of that part.

    From J. Dai and others 2016, "R-FCN". Gradients reach the images; the boxes are looked at.

    Args:
        x: images [n, channels * rows * columns, height, width].
        boxes: corners [boxes, 4] as left, top, right, bottom.
        boxes_num: how many of the boxes are in each image.
        output_size: rows and columns of parts, or one number for both.
        spatial_scale: the factor by which the corners are multiplied.

    Returns:
        [boxes, channels, rows, columns].

    Raises:
        InvalidValueError: if the channels are not a multiple of the parts.
    """
    x = operand(x)
    rows, columns = (output_size, output_size) if isinstance(output_size, int) else output_size
    count, depth, height, width = x._spec.shape
    if rows * columns == 0:
        raise InvalidValueError("output_size should not contain 0.", site=here())
    if depth % (rows * columns):
        raise InvalidValueError(
            f"psroi_pool: {depth} channels are not a multiple of {rows} * {columns} parts.", site=here()
        )
    channels = depth // (rows * columns)
    array = np.asarray(operand(boxes), np.float64)
    corners = np.floor(np.abs(array) + 0.5) * np.sign(array)
    images = np.repeat(np.arange(count), np.asarray(operand(boxes_num)).astype(int))
    found = []
    for (left, top, right, bottom), image in zip(corners, images, strict=True):
        sides = [
            _parts(low * spatial_scale, (high + 1.0) * spatial_scale, parts, length)
            for low, high, parts, length in ((top, bottom, rows, height), (left, right, columns, width))
        ]
        grouped = x[int(image)].reshape([channels, rows, columns, height, width])
        cells = []
        for i, (above, below) in enumerate(sides[0]):
            for j, (first, last) in enumerate(sides[1]):
                part = grouped[:, i, j]
                if below <= above or last <= first:
                    cells.append(_math.sum(part * 0.0, [1, 2]))
                else:
                    cells.append(_math.mean(part[:, above:below, first:last], [1, 2]))
        found.append(_manipulation.stack(cells, -1).reshape([channels, rows, columns]))
    return _manipulation.stack(found, 0)


def _parts(low: float, high: float, count: int, length: int) -> list[tuple[int, int]]:
    """Returns where each part of a side begins and ends, in whole pixels that are there."""
    step = max(high - low, 0.1) / count
    ends = [(math.floor(low + i * step), math.ceil(low + (i + 1) * step)) for i in range(count)]
    return [(min(max(a, 0), length), min(max(b, 0), length)) for a, b in ends]


@named("paddle.vision.ops.PSRoIPool")
class PSRoIPool(Layer):
    """`psroi_pool` as a layer."""

    def __init__(self, output_size: Any, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._given = (output_size, spatial_scale)

    def forward(self, x: Any, boxes: Any, boxes_num: Any) -> Any:
        """Returns the parts of the images."""
        return psroi_pool(x, boxes, boxes_num, *self._given)
