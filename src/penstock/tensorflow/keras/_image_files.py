"""Pictures in files, through Pillow: loaded, saved, and turned into arrays and back."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here, warn

_MODES = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}
_METHODS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")


class PillowMissingError(PenstockError, ImportError):
    """Pictures in files, where Pillow is not installed."""


def pillow(what: str) -> Any:
    """Returns the module Image of Pillow; raises PillowMissingError where it is not installed."""
    try:
        return importlib.import_module("PIL.Image")
    except ImportError:
        raise PillowMissingError(
            f"{what}: Pillow, which reads and writes images, is not installed.",
            remedy="pip install pillow",
            site=here(),
        ) from None


@named("tf.keras.utils.load_img", "tf.keras.preprocessing.image.load_img")
def load_img(
    path: Any,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:
    """Returns a picture of Pillow from a file, in these colours and, on request, of this height and width.

    With `keep_aspect_ratio` it is cropped at the middle first. Raises PillowMissingError without Pillow.
    """
    if color_mode not in _MODES:
        raise ArgumentError('color_mode must be "grayscale", "rgb", or "rgba"', site=here())
    picture = pillow("load_img").open(path)
    picture.load()
    mode = _MODES[color_mode]
    if picture.mode != mode and not (mode == "L" and picture.mode in ("I;16", "I")):
        picture = picture.convert(mode)
    if target_size is None or picture.size == (target_size[1], target_size[0]):
        return picture
    if interpolation not in _METHODS:
        raise ArgumentError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(_METHODS)}",
            site=here(),
        )
    method = getattr(pillow("load_img").Resampling, interpolation.upper())
    height, width = int(target_size[0]), int(target_size[1])
    box = _middle(picture.size, (width, height)) if keep_aspect_ratio else None
    return picture.resize((width, height), method, box=box)


def _middle(size: tuple[int, int], wanted: tuple[int, int]) -> tuple[int, int, int, int]:
    """Returns the largest box at the middle of a picture that has the proportions wanted."""
    width, height = size
    box_height, box_width = (
        min(height, width * wanted[1] // wanted[0]),
        min(width, height * wanted[0] // wanted[1]),
    )
    left, top = (width - box_width) // 2, (height - box_height) // 2
    return left, top, left + box_width, top + box_height


def _channels_last(data_format: str | None) -> bool:
    if data_format not in (None, "channels_last", "channels_first"):
        raise ArgumentError(
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: "
            f"data_format={data_format}",
            site=here(),
        )
    return data_format != "channels_first"


@named("tf.keras.utils.img_to_array", "tf.keras.preprocessing.image.img_to_array")
def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Any:
    """Returns a picture as an array of height, width and channels.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.img_to_array(np.zeros((2, 3))).shape
    (2, 3, 1)
    """
    last = _channels_last(data_format)
    array = np.asarray(img, dtype="float32" if dtype is None else dtype)
    if array.ndim == 2:
        return array[..., None] if last else array[None]
    if array.ndim != 3:
        raise ArgumentError(f"Unsupported image shape: {array.shape}", site=here())
    return array if last else array.transpose(2, 0, 1)


@named("tf.keras.utils.array_to_img", "tf.keras.preprocessing.image.array_to_img")
def array_to_img(x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None) -> Any:
    """Returns an array of height, width and channels as a picture of Pillow, scaled to 0..255 on request."""
    array = np.asarray(x, dtype="float32" if dtype is None else dtype)
    if array.ndim != 3:
        raise ArgumentError(
            f"Expected image array to have rank 3 (single image). Got array with shape: {array.shape}",
            site=here(),
        )
    if not _channels_last(data_format):
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - array.min()
        largest = array.max()
        array = (array / largest if largest != 0 else array) * 255
    image, channels = pillow("array_to_img"), array.shape[2]
    if channels in (3, 4):
        return image.fromarray(array.astype("uint8"))
    if channels == 1:
        flat = array[:, :, 0]
        return image.fromarray(flat.astype("int32" if flat.max() > 255 else "uint8"))
    raise ArgumentError(f"Unsupported channel number: {channels}", site=here())


def brightened(x: Any, brightness: float, scale: bool) -> Any:
    """Returns a picture whose brightness is multiplied; with `scale` it is brought into 0 .. 255 first."""
    pillow("brightness")
    enhance = importlib.import_module("PIL.ImageEnhance")
    low, high = np.min(x), np.max(x)
    beyond = bool(low < 0 or high > 255)
    picture = enhance.Brightness(array_to_img(x, scale=beyond or scale)).enhance(brightness)
    made = img_to_array(picture)
    return made / 255 * (high - low) + low if beyond and not scale else made


@named("tf.keras.utils.save_img", "tf.keras.preprocessing.image.save_img")
def save_img(
    path: Any,
    x: Any,
    data_format: str | None = None,
    file_format: Any = None,
    scale: bool = True,
    **options: Any,
) -> None:
    """Writes an array as a picture, in the format that the name of the file ends in."""
    picture = array_to_img(x, data_format, scale)
    kind = file_format or os.path.splitext(os.fspath(path))[1][1:].lower()
    kind = "jpeg" if kind == "jpg" else kind
    if picture.mode == "RGBA" and kind == "jpeg":
        warn("The JPG format does not support RGBA images, converting to RGB.")
        picture = picture.convert("RGB")
    picture.save(path, format=kind or None, **options)
