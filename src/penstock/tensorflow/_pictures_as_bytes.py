"""Pictures as bytes: decoded and encoded, through Pillow, and JPEG by the library that TensorFlow uses."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _jpeg as jpeg
from penstock.tensorflow._convert import constant
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._strings import StringTensor, strings
from penstock.tensorflow.keras._image_files import pillow
from penstock.trace.source_site import here

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def pixels(picture: Any, channels: int) -> Any:
    """Returns the bytes of a picture of Pillow, with an axis of channels, as TensorFlow decodes them."""
    if channels == 0:
        plain = picture.mode in _MODES.values()
        mode = picture.mode if plain else "RGBA" if "transparency" in picture.info else "RGB"
    else:
        mode = _MODES[channels]
    if mode == "L" and picture.mode not in ("L", "1", "I", "I;16") and picture.format != "JPEG":
        # libpng weights colours in integers, and truncates.
        red, green, blue = (np.asarray(picture.convert("RGB"), np.int32)[..., n] for n in range(3))
        return ((9798 * red + 19234 * green + 3736 * blue) >> 15).astype(np.uint8)[..., None]
    array = np.asarray(picture.convert(mode), np.uint8)
    return array[..., None] if array.ndim == 2 else array


@named("tf.io.decode_image", "tf.image.decode_image")
def decode_image(
    contents: Any,
    channels: Any = None,
    dtype: Any = "uint8",
    name: Any = None,
    expand_animations: bool = True,
) -> Any:
    """Returns the pixels of a picture: height, width, channels; of an animation with a first axis of frames.

    Other dtypes than uint8 are scaled: floats to 0..1. Raises InvalidArgumentError if they are no picture.
    """
    data = strings(contents).numpy()
    channels = int(channels or 0)
    if channels not in (0, 1, 3, 4):
        raise ArgumentError("`channels` must be in (None, 0, 1, 3, 4)", site=here())
    if jpeg.is_jpeg(data) and (array := jpeg.decoded(data, channels)) is not None:
        return _converted(array, dtype)
    try:
        picture = pillow("tf.io.decode_image").open(io.BytesIO(data))
        if channels == 1:
            # JPEG stores brightness by itself; of red, green and blue it would be computed anew.
            picture.draft("L", None)
        picture.load()
    except OSError as error:
        raise InvalidArgumentError(
            f"Unknown image file format. One of JPEG, PNG, GIF, BMP required ({error}).",
            origin=f"the string has {len(data)} bytes and begins with {data[:8]!r}",
            site=here(),
        ) from error
    if picture.format == "GIF":
        frames = []
        for number in range(getattr(picture, "n_frames", 1)):
            picture.seek(number)
            frames.append(pixels(picture, channels or 3))
        array = np.stack(frames) if expand_animations else frames[0]
    else:
        array = pixels(picture, channels)
    return _converted(array, dtype)


def _converted(array: Any, dtype: Any) -> Any:
    """Returns pixels as a tensor of a dtype; of other dtypes than uint8 they are scaled."""
    made = constant(array)
    wanted = as_dtype(dtype)
    if wanted == "uint8":
        return made
    from penstock.tensorflow._image_changes import convert_image_dtype

    return convert_image_dtype(made, wanted)


@named("tf.io.decode_png", "tf.image.decode_png")
def decode_png(contents: Any, channels: int = 0, dtype: Any = "uint8", name: Any = None) -> Any:
    """Returns the pixels of a picture in the format PNG."""
    return decode_image(contents, channels, dtype, expand_animations=False)


@named("tf.io.decode_bmp", "tf.image.decode_bmp")
def decode_bmp(contents: Any, channels: int = 0, name: Any = None) -> Any:
    """Returns the pixels of a picture in the format BMP."""
    return decode_image(contents, channels, expand_animations=False)


@named("tf.io.decode_gif", "tf.image.decode_gif")
def decode_gif(contents: Any, name: Any = None) -> Any:
    """Returns the frames of an animation in the format GIF."""
    made = decode_image(contents, 3)
    return made if made.shape.ndims == 4 else made[None]


@named("tf.io.decode_jpeg", "tf.image.decode_jpeg")
def decode_jpeg(
    contents: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the pixels of a picture in the format JPEG.

    They are those of TensorFlow where simplejpeg is installed. Without it Pillow decodes, and transforms
    blocks accurately, as TensorFlow does for `dct_method="INTEGER_ACCURATE"`: with "", pixels differ by up to
    15 of 255, and options that Pillow does not have are refused. A picture that is cut off is refused always.
    """
    jpeg.check_options(
        dct_method, fancy_upscaling, ratio, bool(try_recover_truncated) or acceptable_fraction != 1
    )
    data = strings(contents).numpy()
    if jpeg.is_jpeg(data):
        array = jpeg.decoded(data, int(channels or 0), dct_method, fancy_upscaling, ratio)
        if array is not None:
            return constant(array)
    return decode_image(contents, channels, expand_animations=False)


@named("tf.io.decode_and_crop_jpeg", "tf.image.decode_and_crop_jpeg")
def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: int = 0, name: Any = None) -> Any:
    """Returns a part of a picture: `crop_window` is (top, left, height, width).

    TensorFlow decodes the blocks of that part alone: where colours have fewer pixels than the picture, they
    may differ at the edges of the part.
    """
    top, left, height, width = (int(one) for one in crop_window)
    return decode_jpeg(contents, channels)[top : top + height, left : left + width]


@named("tf.io.extract_jpeg_shape", "tf.image.extract_jpeg_shape")
def extract_jpeg_shape(contents: Any, output_type: Any = "int32", name: Any = None) -> Any:
    """Returns the height, width and number of channels of a picture."""
    picture = pillow("tf.io.extract_jpeg_shape").open(io.BytesIO(strings(contents).numpy()))
    shape = [picture.height, picture.width, len(picture.getbands())]
    return constant(np.array(shape, as_dtype(output_type).as_numpy_dtype))


@named("tf.io.is_jpeg", "tf.image.is_jpeg")
def is_jpeg(contents: Any, name: Any = None) -> Any:
    """Returns whether bytes are a picture in the format JPEG."""
    return constant(jpeg.is_jpeg(strings(contents).numpy()))


def _encoded(image: Any, kind: str, **options: Any) -> StringTensor:
    array = np.asarray(image.numpy() if hasattr(image, "numpy") else image)
    if array.dtype != np.uint8:
        raise InvalidArgumentError(
            f"encode_{kind}: the picture is {array.dtype.name}; bytes (uint8) are written.",
            remedy="Convert it: tf.image.convert_image_dtype(x, tf.uint8).",
            site=here(),
        )
    flat = array[..., 0] if array.shape[-1] == 1 else array
    content = io.BytesIO()
    pillow(f"tf.io.encode_{kind}").fromarray(flat).save(content, format=kind.upper(), **options)
    return StringTensor(content.getvalue())


@named("tf.io.encode_png", "tf.image.encode_png")
def encode_png(image: Any, compression: int = -1, name: Any = None) -> Any:
    """Returns a picture of bytes in the format PNG."""
    return _encoded(image, "png", **({} if compression < 0 else {"compress_level": compression}))


@named("tf.io.encode_jpeg", "tf.image.encode_jpeg")
def encode_jpeg(
    image: Any, format: str = "", quality: int = 95, progressive: bool = False, name: Any = None
) -> Any:
    """Returns a picture of bytes in the format JPEG."""
    if format not in ("", "rgb", "grayscale"):
        raise ArgumentError(
            f"encode_jpeg: format={format!r} is not one of '', 'rgb', 'grayscale'.", site=here()
        )
    return _encoded(image, "jpeg", quality=quality, progressive=progressive)
