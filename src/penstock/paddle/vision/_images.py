"""Images as Pillow's, as arrays [H, W, C] or [H, W], and as tensors [C, H, W]."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.paddle._convert import HANDLES
from penstock.trace.source_site import here

_backend = ["pil"]


def pillow(name: str = "Image") -> Any:
    """Returns a module of Pillow; raises PenstockError where it is not installed."""
    try:
        return importlib.import_module(f"PIL.{name}")
    except ImportError:
        raise PenstockError(
            "paddle.vision reads and changes pictures by Pillow, which is not installed.",
            remedy="Install it: pip install pillow. Arrays [H, W, C] can be flipped and cut without it.",
            site=here(),
        ) from None


def is_picture(image: Any) -> bool:
    """Returns whether an image is one of Pillow's."""
    return type(image).__module__.startswith("PIL.") or any(
        kind.__module__ == "PIL.Image" for kind in type(image).__mro__
    )


def is_tensor(image: Any) -> bool:
    """Returns whether an image is a tensor, with its channels first."""
    return isinstance(image, HANDLES)


def size_of(image: Any) -> tuple[int, int]:
    """Returns the width and the height."""
    if is_picture(image):
        return image.size  # type: ignore[no-any-return]
    shape = image.shape
    return (int(shape[-1]), int(shape[-2])) if is_tensor(image) else (int(shape[1]), int(shape[0]))


@named("paddle.vision.set_image_backend")
def set_image_backend(backend: str) -> None:
    """Says how `image_load` gives images: "pil", "cv2" (arrays, blue first) or "tensor"."""
    if backend not in ("pil", "cv2", "tensor"):
        raise ValueError(f"Expected backend are one of ['pil', 'cv2', 'tensor'], but got {backend}")
    _backend[0] = backend


@named("paddle.vision.get_image_backend")
def get_image_backend() -> str:
    """Returns how `image_load` gives images."""
    return _backend[0]


@named("paddle.vision.image_load")
def image_load(path: str, backend: str | None = None) -> Any:
    """Returns the image in a file: Pillow's, an array [H, W, 3] with blue first for "cv2", or a tensor."""
    backend = backend or _backend[0]
    if backend not in ("pil", "cv2", "tensor"):
        raise ValueError(f"Expected backend are one of ['pil', 'cv2', 'tensor'], but got {backend}")
    picture = pillow().open(path)
    if backend == "pil":
        return picture
    array = np.asarray(picture.convert("RGB"))
    if backend == "cv2":
        return array[:, :, ::-1].copy()
    from penstock.paddle._convert import to_tensor

    return to_tensor(array)
