"""tf.keras.preprocessing: what older programs prepare pictures, texts and sequences with."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.tensorflow._names import absent as _absent

_MODULES = ("image", "sequence", "text")
_FUNCTIONS = ("image_dataset_from_directory", "text_dataset_from_directory", "timeseries_dataset_from_array")
__all__ = [*_FUNCTIONS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _FUNCTIONS:
        return getattr(importlib.import_module("penstock.tensorflow.keras._folders"), name)
    raise _absent("tensorflow.keras.preprocessing", name, __all__)
