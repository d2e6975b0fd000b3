"""tf.compat: older names, loaded on first use."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "v1":
        return importlib.import_module("penstock.tensorflow.compat.v1")
    raise AttributeError(f"module 'tensorflow.compat' has no attribute {name!r}")


__all__ = ["v1"]
