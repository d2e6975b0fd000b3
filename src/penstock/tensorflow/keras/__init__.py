"""tf.keras: layers, models, losses, metrics and optimizers under Keras 3's names. There is no `fit`."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras import (
    activations,
    backend,
    config,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    mixed_precision,
    models,
    optimizers,
    regularizers,
    utils,
)
from penstock.tensorflow.keras._functional import Input, KerasTensor
from penstock.tensorflow.keras._variable import KerasVariable as Variable
from penstock.tensorflow.keras.mixed_precision import DTypePolicy, FloatDTypePolicy
from penstock.tensorflow.keras.models import Model, Sequential

__version__ = "3.15.1"


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras", name, __all__)


__all__ = [
    "DTypePolicy", "FloatDTypePolicy", "Input", "KerasTensor", "Model", "Sequential", "Variable",
    "activations", "backend", "config", "constraints", "initializers", "layers", "losses", "metrics",
    "mixed_precision", "models", "optimizers", "regularizers", "utils",
]  # fmt: skip
