"""tf.compat: older names, loaded on first use."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"penstock.tensorflow.compat.{name}")
    raise AttributeError(f"module 'tensorflow.compat' has no attribute {name!r}")


__all__ = ["v1", "v2"]
