"""Images turned, moved, scaled and sheared, or seen from another place."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle.vision._changes import _METHODS, _by_picture
from penstock.paddle.vision.transforms import BaseTransform


def _warped(img: Any, way: str, numbers: list[float], interpolation: str, fill: Any) -> Any:
    def warped(picture: Any) -> Any:
        from PIL import Image

        bands = len(picture.getbands())
        filled: Any = (fill,) * bands if isinstance(fill, int | float) else tuple(fill)
        filled = filled[0] if bands == 1 else filled
        kind = getattr(Image.Transform, way)
        return picture.transform(picture.size, kind, numbers, _METHODS[interpolation], fillcolor=filled)

    return _by_picture(img, warped)


@named("paddle.vision.transforms.affine")
def affine(
    img: Any, angle: float, translate: Any, scale: float, shear: Any, interpolation: str = "nearest",
    fill: Any = 0, center: Any = None,
) -> Any:  # fmt: skip
    """Returns an image turned by `angle`, sheared by angles in degrees, scaled, and moved by pixels.

    It turns about the `center`, which is the middle by default; pixels from outside are `fill`.
    """
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    if len(translate) != 2:
        raise ValueError("Argument translate should be a sequence of length 2")
    both = [shear, 0.0] if isinstance(shear, int | float) else list(shear)
    both = both * 2 if len(both) == 1 else both
    if len(both) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {shear}")
    turn, across, down = (math.radians(one) for one in (angle, *both))
    width, height = _size(img)
    x, y = (width * 0.5, height * 0.5) if center is None else center
    # Where each pixel of the result comes from: the inverse of the map, whose linear part has determinant 1.
    tilted = turn - down
    cosine, sine = math.cos(tilted) / math.cos(down), math.sin(tilted) / math.cos(down)
    linear = [
        (math.cos(turn) - sine * math.tan(across)) / scale,
        (cosine * math.tan(across) + math.sin(turn)) / scale,
        -sine / scale,
        cosine / scale,
    ]
    back_x, back_y = -x - translate[0], -y - translate[1]
    numbers = [
        *linear[:2], linear[0] * back_x + linear[1] * back_y + x,
        *linear[2:], linear[2] * back_x + linear[3] * back_y + y,
    ]  # fmt: skip
    return _warped(img, "AFFINE", numbers, interpolation, fill)


@named("paddle.vision.transforms.perspective")
def perspective(
    img: Any, startpoints: Any, endpoints: Any, interpolation: str = "nearest", fill: Any = 0
) -> Any:
    """Returns an image whose four corners move from `startpoints` to `endpoints`."""
    rows, wanted = [], []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        wanted += [u, v]
    found = np.linalg.lstsq(np.asarray(rows, np.float64), np.asarray(wanted, np.float64), rcond=None)[0]
    return _warped(img, "PERSPECTIVE", found.tolist(), interpolation, fill)


def _size(img: Any) -> tuple[int, int]:
    if hasattr(img, "getbands"):
        return int(img.size[0]), int(img.size[1])
    lengths = np.shape(img)
    return int(lengths[1]), int(lengths[0])


@named("paddle.vision.transforms.RandomAffine")
class RandomAffine(BaseTransform):
    """An image turned, moved, scaled and sheared by amounts drawn at random."""

    def __init__(
        self, degrees: Any, translate: Any = None, scale: Any = None, shear: Any = None,
        interpolation: str = "nearest", fill: Any = 0, center: Any = None, keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        if translate is not None and not all(0.0 <= one <= 1.0 for one in translate):
            raise ValueError("translation values should be between 0 and 1")
        if scale is not None and min(scale) <= 0:
            raise ValueError("scale values should be positive")
        self.degrees = (-degrees, degrees) if isinstance(degrees, int | float) else degrees
        self.shear = (-shear, shear) if isinstance(shear, int | float) else shear
        self.translate, self.scale, self.center = translate, scale, center
        self.interpolation, self.fill = interpolation, fill

    def _apply_image(self, image: Any) -> Any:
        angle, moved, scale, shear = random.uniform(*self.degrees), (0, 0), 1.0, [0.0, 0.0]
        if self.translate is not None:
            most = [float(share * n) for share, n in zip(self.translate, _size(image), strict=True)]
            moved = (int(random.uniform(-most[0], most[0])), int(random.uniform(-most[1], most[1])))
        if self.scale is not None:
            scale = random.uniform(*self.scale)
        if self.shear is not None:
            for i in range(len(self.shear) // 2):
                shear[i] = random.uniform(*self.shear[2 * i : 2 * i + 2])
        return affine(image, angle, moved, scale, shear, self.interpolation, self.fill, self.center)


@named("paddle.vision.transforms.RandomPerspective")
class RandomPerspective(BaseTransform):
    """An image seen from a place drawn at random, with a probability."""

    def __init__(
        self, prob: float = 0.5, distortion_scale: float = 0.5, interpolation: str = "nearest",
        fill: Any = 0, keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        if not 0 <= prob <= 1 or not 0 <= distortion_scale <= 1:
            raise AssertionError("prob and distortion_scale must be between 0 and 1")
        self.prob, self.distortion_scale = prob, distortion_scale
        self.interpolation, self.fill = interpolation, fill

    def _apply_image(self, image: Any) -> Any:
        width, height = _size(image)
        if random.random() >= self.prob:
            return image
        most = [int(self.distortion_scale * (n // 2)) + 1 for n in (width, height)]

        def drawn(right: bool, low: bool) -> list[int]:
            return [
                int(random.uniform(n - far, n) if end else random.uniform(0, far))
                for n, far, end in zip((width, height), most, (right, low), strict=True)
            ]

        start = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        corners = [drawn(False, False), drawn(True, False), drawn(True, True), drawn(False, True)]
        return perspective(image, start, corners, self.interpolation, self.fill)
