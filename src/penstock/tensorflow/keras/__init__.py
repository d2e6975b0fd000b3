"""tf.keras: optimizers so far."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras import backend, optimizers
from penstock.tensorflow.keras._variable import KerasVariable as Variable

__version__ = "3.15.1"


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras", name, __all__)


__all__ = ["Variable", "backend", "optimizers"]
