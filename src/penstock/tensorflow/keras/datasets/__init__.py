"""tf.keras.datasets: published data sets, read from files on this machine."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.tensorflow._names import absent as _absent

__all__ = [
    "boston_housing", "california_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist",
    "reuters",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise _absent("tensorflow.keras.datasets", name, __all__)
