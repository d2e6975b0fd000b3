"""Changes of one image: cut, turned, resized, other colours. Of Pillow's, of arrays and of tensors."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle._convert import to_tensor as _tensor_of
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle.vision._images import is_picture, is_tensor, pillow, size_of
from penstock.trace.source_site import here

_METHODS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5}


_is_pil_image, _is_tensor_image = is_picture, is_tensor
"""Names by which users' transforms refer to the type of an image."""


def _is_numpy_image(img: Any) -> bool:
    return isinstance(img, np.ndarray) and img.ndim in (2, 3)


def _as_array(image: Any) -> Any:
    return np.asarray(image)


def _by_array(image: Any, change: Callable[[Any], Any]) -> Any:
    """Changes an image as an array with the channels last, and returns it in its original type."""
    if is_tensor(image):
        found = change(np.moveaxis(np.asarray(image), -3, -1))
        return _tensor_of(np.ascontiguousarray(np.moveaxis(found, -1, -3)))
    if is_picture(image):
        return pillow().fromarray(change(_as_array(image)))
    return change(image)


def _by_picture(image: Any, change: Callable[[Any], Any]) -> Any:
    """Changes an image as one of Pillow's, and returns it in its original type."""
    if is_picture(image):
        return change(image)

    def changed(array: Any) -> Any:
        flat = array.ndim == 3 and array.shape[2] == 1
        if array.dtype == np.uint8:
            found = np.asarray(change(pillow().fromarray(array[..., 0] if flat else array)))
            return found[..., None] if flat else found
        bytes_ = np.clip(array * 255.0, 0, 255).astype(np.uint8)
        return changed(bytes_).astype(array.dtype) / 255.0

    return _by_array(image, changed)


@named("paddle.vision.transforms.to_tensor")
def to_tensor(pic: Any, data_format: str = "CHW") -> Any:
    """Returns an image as a tensor [C, H, W], or [H, W, C]: bytes as numbers from 0 to 1."""
    if data_format.upper() not in ("CHW", "HWC"):
        raise InvalidValueError(f"data_format should be CHW or HWC. Got {data_format}", site=here())
    if is_tensor(pic):
        return pic
    if not is_picture(pic) and not isinstance(pic, np.ndarray):
        raise InvalidTypeError(
            f"pic should be PIL Image or ndarray or Tensor with dim=[2 or 3]. Got {type(pic)}", site=here()
        )
    array = _as_array(pic)
    if is_picture(pic) and pic.mode == "1":
        array = array.astype(np.uint8) * 255
    array = array[:, :, None] if array.ndim == 2 else array
    found = array.astype(np.float32) / 255.0 if array.dtype == np.uint8 else array
    if found.dtype != np.float32 and is_picture(pic):
        found = found.astype(np.float32)
    return _tensor_of(
        np.ascontiguousarray(found.transpose(2, 0, 1) if data_format.upper() == "CHW" else found)
    )


@named("paddle.vision.transforms.normalize")
def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """Returns (image - mean) / std for each channel; with `to_rgb` the channels of an array change places."""
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    if is_tensor(img):
        mean, std = (_tensor_of(np.asarray(one, np.float32).reshape(shape)) for one in (mean, std))
        return (img - mean) / std
    array = np.asarray(img).astype(np.float32)
    if to_rgb:
        array = array[::-1] if data_format == "CHW" else array[..., ::-1]
    mean, std = (np.asarray(one, np.float32).reshape(shape) for one in (mean, std))
    return ((array - mean) / std).astype(np.float32)


@named("paddle.vision.transforms.resize")
def resize(img: Any, size: Any, interpolation: str = "bilinear") -> Any:
    """Returns an image of another size: (height, width), or the length of its shorter side.

    Pillow's are resized by Pillow; arrays as OpenCV does it, without smoothing when they become smaller.
    """
    if interpolation not in _METHODS:
        raise InvalidValueError(
            f"resize: interpolation is {interpolation!r}.", remedy=f"Use one of {', '.join(_METHODS)}.",
            site=here(),
        )  # fmt: skip
    width, height = size_of(img)
    if isinstance(size, int):
        if min(width, height) == size:
            return img
        size = (size, int(size * width / height)) if height < width else (int(size * height / width), size)
    target = int(size[0]), int(size[1])
    if is_picture(img):
        return img.resize(target[::-1], _METHODS[interpolation])
    if interpolation in ("nearest", "bilinear"):
        return _by_array(img, lambda array: _resized(array, target, interpolation))
    return _by_picture(img, lambda picture: picture.resize(target[::-1], _METHODS[interpolation]))


def _resized(array: Any, target: tuple[int, int], interpolation: str) -> Any:
    found = array.astype(np.float64)
    for axis, length in enumerate(target):
        own = array.shape[axis]
        if interpolation == "nearest":
            places = np.minimum(np.floor(np.arange(length) * (own / length)).astype(int), own - 1)
            found = np.take(found, places, axis)
            continue
        place = np.clip((np.arange(length) + 0.5) * (own / length) - 0.5, 0, own - 1)
        low = np.floor(place).astype(int)
        share = (place - low).reshape([-1 if i == axis else 1 for i in range(found.ndim)])
        high = np.minimum(low + 1, own - 1)
        found = np.take(found, low, axis) * (1 - share) + np.take(found, high, axis) * share
    return np.rint(found).astype(array.dtype) if array.dtype.kind in "iu" else found.astype(array.dtype)


@named("paddle.vision.transforms.crop")
def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Returns the part of an image from a place on, of this height and width."""
    if is_picture(img):
        return img.crop((left, top, left + width, top + height))
    if is_tensor(img):
        return img[..., top : top + height, left : left + width]
    return img[top : top + height, left : left + width]


@named("paddle.vision.transforms.center_crop")
def center_crop(img: Any, output_size: Any) -> Any:
    """Returns the middle of an image."""
    height, width = (output_size, output_size) if isinstance(output_size, int) else output_size
    own_width, own_height = size_of(img)
    top, left = round((own_height - height) / 2.0), round((own_width - width) / 2.0)
    return crop(img, top, left, height, width)


@named("paddle.vision.transforms.hflip")
def hflip(img: Any) -> Any:
    """Returns an image with left and right exchanged."""
    if is_picture(img):
        return img.transpose(0)
    return img.flip([-1]) if is_tensor(img) else img[:, ::-1].copy()


@named("paddle.vision.transforms.vflip")
def vflip(img: Any) -> Any:
    """Returns an image with top and bottom exchanged."""
    if is_picture(img):
        return img.transpose(1)
    return img.flip([-2]) if is_tensor(img) else img[::-1].copy()


@named("paddle.vision.transforms.pad")
def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """Returns an image with a border: of one width, of (left and right, top and bottom), or of four."""
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise InvalidValueError(
            "Padding mode should be either constant, edge, reflect or symmetric", site=here()
        )
    widths = [padding] * 4 if isinstance(padding, int) else list(padding)
    left, top, right, bottom = widths * 2 if len(widths) == 2 else widths

    def padded(array: Any) -> Any:
        around = [(top, bottom), (left, right), (0, 0)][: array.ndim]
        if padding_mode != "constant":
            return np.pad(array, around, mode=padding_mode)  # type: ignore[call-overload]
        if isinstance(fill, int | float):
            return np.pad(array, around, constant_values=fill)
        shape = [n + a + b for n, (a, b) in zip(array.shape, around, strict=True)]
        found = np.empty(shape, array.dtype)
        found[...] = fill
        found[top : top + array.shape[0], left : left + array.shape[1]] = array
        return found

    return _by_array(img, padded)


@named("paddle.vision.transforms.rotate")
def rotate(
    img: Any, angle: float, interpolation: str = "nearest", expand: bool = False, center: Any = None,
    fill: Any = 0,
) -> Any:  # fmt: skip
    """Returns an image rotated counterclockwise by `angle` degrees."""

    def turned(picture: Any) -> Any:
        filled: Any = (fill,) * len(picture.getbands()) if isinstance(fill, int) else tuple(fill)
        filled = filled[0] if len(filled) == 1 else filled
        return picture.rotate(angle, _METHODS[interpolation], expand, center, fillcolor=filled)

    return _by_picture(img, turned)


@named("paddle.vision.transforms.to_grayscale")
def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Returns an image without colours, of one channel, or of three equal ones."""

    def grey(picture: Any) -> Any:
        found = picture.convert("L")
        if num_output_channels == 1:
            return found
        return pillow().merge("RGB", (found, found, found))

    if num_output_channels not in (1, 3):
        raise InvalidValueError("num_output_channels should be either 1 or 3", site=here())
    return _by_picture(img, grey)


def _enhanced(img: Any, kind: str, factor: float) -> Any:
    return _by_picture(img, lambda picture: getattr(pillow("ImageEnhance"), kind)(picture).enhance(factor))


@named("paddle.vision.transforms.adjust_brightness")
def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Returns an image with its brightness multiplied by a factor."""
    return _enhanced(img, "Brightness", brightness_factor)


@named("paddle.vision.transforms.adjust_contrast")
def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Returns an image with its contrast multiplied by a factor."""
    return _enhanced(img, "Contrast", contrast_factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Returns an image with its saturation multiplied by a factor."""
    return _enhanced(img, "Color", saturation_factor)


@named("paddle.vision.transforms.adjust_hue")
def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Returns an image whose colours are turned: by half a circle with 0.5 or -0.5."""
    if not -0.5 <= hue_factor <= 0.5:
        raise InvalidValueError(f"hue_factor is not in [-0.5, 0.5]. Got {hue_factor}", site=here())

    def turned(picture: Any) -> Any:
        if picture.mode in ("L", "1", "I", "F"):
            return picture
        hue, saturation, value = picture.convert("HSV").split()
        moved = np.asarray(hue, np.uint8) + np.asarray(int(hue_factor * 255) % 256, np.uint8)
        hue = pillow().fromarray(moved, "L")
        return pillow().merge("HSV", (hue, saturation, value)).convert(picture.mode)

    return _by_picture(img, turned)


@named("paddle.vision.transforms.erase")
def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """Returns an image with a part of it replaced by a value."""
    if is_tensor(img):
        found = img if inplace else img.clone()
        found[..., i : i + h, j : j + w] = v
        return found
    if is_picture(img):
        array = np.array(img)
        array[i : i + h, j : j + w] = v
        return pillow().fromarray(array)
    found = img if inplace else img.copy()
    found[i : i + h, j : j + w] = v
    return found


def area_of(img: Any, scale: Sequence[float], ratio: Sequence[float]) -> tuple[int, int, int, int]:
    """Returns a part of an image to keep, drawn at random: top, left, height and width.

    As in Paddle, NumPy draws its size, and `random` its place.
    """
    width, height = size_of(img)
    area = width * height
    for _ in range(10):
        wanted = np.random.uniform(scale[0], scale[1]) * area
        aspect = math.exp(np.random.uniform(math.log(ratio[0]), math.log(ratio[1])))
        w, h = round(math.sqrt(wanted * aspect)), round(math.sqrt(wanted / aspect))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, height - h), random.randint(0, width - w), h, w
    whole = float(width) / float(height)
    w, h = width, height
    if whole < min(ratio):
        h = round(w / min(ratio))
    elif whole > max(ratio):
        w = round(h * max(ratio))
    return (height - h) // 2, (width - w) // 2, h, w


def erased_area(img: Any, scale: Sequence[float], ratio: Sequence[float]) -> tuple[int, int, int, int] | None:
    """Returns a part of an image to erase, drawn by NumPy: top, left, height, width; None if none fits."""
    width, height = size_of(img)
    for _ in range(10):
        wanted = np.random.uniform(scale[0], scale[1]) * width * height
        aspect = math.exp(np.random.uniform(math.log(ratio[0]), math.log(ratio[1])))
        h, w = round(math.sqrt(wanted * aspect)), round(math.sqrt(wanted / aspect))
        if h < height and w < width:
            return int(np.random.randint(0, height - h + 1)), int(np.random.randint(0, width - w + 1)), h, w
    return None
