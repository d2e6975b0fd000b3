"""Pictures in the format JPEG: decoded by libjpeg-turbo through simplejpeg, where that is installed.

TensorFlow decodes with the same library. Its default transform of blocks is the fast one, which Pillow does
not offer: the pixels that Pillow gives differ from those by up to 15 of 255.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.trace.source_site import here

FAST, ACCURATE = ("", "INTEGER_FAST"), "INTEGER_ACCURATE"
"""The names of the transforms; "" is the default."""
_BEGINNING = b"\xff\xd8\xff"
_SPACES = {1: "GRAY", 3: "RGB"}
_DECODED = ("Gray", "YCbCr", "RGB")
"""Colours in files that are decoded here; others, such as those of printers, are left to Pillow."""


def is_jpeg(data: bytes) -> bool:
    """Returns whether bytes begin as a picture in the format JPEG does."""
    return data[:3] == _BEGINNING


@functools.cache
def turbo() -> Any:
    """Returns the module simplejpeg, or None where it is not installed."""
    try:
        return importlib.import_module("simplejpeg")
    except ImportError:
        return None


def decoded(
    data: bytes, channels: int, dct_method: str = "", fancy_upscaling: bool = True, ratio: int = 1
) -> Any:
    """Returns the pixels as uint8 of height, width and channels; None where Pillow has to decode them.

    `ratio` is 1, 2, 4 or 8: by how much the picture is made smaller. Raises InvalidArgumentError for bytes
    that are cut off or no picture, and for four channels.
    """
    if channels == 4:
        raise InvalidArgumentError("JPEG does not support 4 channels", site=here())
    library = turbo()
    if library is None:
        return None
    try:
        height, width, colours, _ = library.decode_jpeg_header(data)
        if colours not in _DECODED:
            return None
        return library.decode_jpeg(
            data,
            colorspace=_SPACES[channels or (1 if colours == "Gray" else 3)],
            fastdct=dct_method in FAST,
            fastupsample=not fancy_upscaling,
            min_height=-(-height // ratio),
            min_width=-(-width // ratio),
        )
    except ValueError as error:
        raise InvalidArgumentError(
            f"Invalid JPEG data ({error}).",
            origin=f"the string has {len(data)} bytes and begins with {data[:8]!r}",
            site=here(),
        ) from error


def check_options(dct_method: str, fancy_upscaling: bool, ratio: int, recovers: bool) -> None:
    """Raises ArgumentError for what neither library does, or what only the one does that is not installed."""
    if dct_method not in (*FAST, ACCURATE):
        known = ", ".join(repr(one) for one in (*FAST, ACCURATE))
        raise ArgumentError(f"decode_jpeg: dct_method={dct_method!r} is not one of {known}.", site=here())
    if ratio not in (1, 2, 4, 8):
        raise ArgumentError(f"decode_jpeg: ratio={ratio!r} is not one of 1, 2, 4, 8.", site=here())
    if recovers:
        raise ArgumentError(
            "decode_jpeg: pictures that are cut off are refused, also with try_recover_truncated or "
            "acceptable_fraction.",
            site=here(),
        )
    asked = {"dct_method": dct_method == "INTEGER_FAST", "fancy_upscaling": not fancy_upscaling}
    asked["ratio"] = ratio != 1
    for option, given in asked.items():
        if given and turbo() is None:
            raise ArgumentError(
                f"decode_jpeg: {option} is not taken: Pillow decodes pictures.",
                remedy="pip install simplejpeg: pixels are then those of TensorFlow.",
                site=here(),
            )


__all__ = ["check_options", "decoded", "is_jpeg", "turbo"]
