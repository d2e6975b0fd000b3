"""Images under Paddle's names: transforms, data sets on this machine, and models."""

from __future__ import annotations

import importlib as _importlib
import sys as _sys
from typing import Any

from penstock.paddle._names import absent as _absent
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle.vision import _images, datasets, models, transforms
from penstock.paddle.vision._images import get_image_backend, image_load, set_image_backend

_path_to(_sys.modules[__name__], "image", _images)
__all__ = ["datasets", "get_image_backend", "image_load", "models", "set_image_backend", "transforms"]


def __getattr__(name: str) -> Any:
    if name == "ops":
        return _importlib.import_module("penstock.paddle.vision.ops")
    raise _absent("paddle.vision", name, __all__)
