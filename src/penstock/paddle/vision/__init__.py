"""Images under Paddle's names: transforms, data sets on this machine, and models."""

from __future__ import annotations

import sys as _sys
from typing import Any

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle.vision import _images, datasets, models, transforms

_path_to(_sys.modules[__name__], "image", _images)
_find, __dir__, __all__ = _namespace(
    "paddle.vision", globals(), "vision._images", later={__name__: "datasets models ops transforms"}
)
__all__ += ["datasets", "models", "transforms"]


def __getattr__(name: str) -> Any:
    for one in (models, transforms, datasets):
        if name in one.__all__:
            # Paddle's package shows these names too.
            return getattr(one, name)
    return _find(name)
