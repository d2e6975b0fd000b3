"""Images under Paddle's names: transforms, data sets on this machine, and models."""

from __future__ import annotations

import sys as _sys

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle.vision import _images, datasets, models, transforms

_path_to(_sys.modules[__name__], "image", _images)
__getattr__, __dir__, __all__ = _namespace(
    "paddle.vision", globals(), "vision._images", later={__name__: "datasets models ops transforms"}
)
__all__ += ["datasets", "models", "transforms"]
