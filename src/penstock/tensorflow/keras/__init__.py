"""tf.keras: layers, models, losses, metrics, optimizers and callbacks under Keras 3's names."""

from __future__ import annotations

import importlib as _importlib
from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras import (
    activations,
    backend,
    callbacks,
    config,
    constraints,
    distribution,
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
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._variable import KerasVariable as Variable
from penstock.tensorflow.keras.initializers import Initializer
from penstock.tensorflow.keras.losses import Loss
from penstock.tensorflow.keras.metrics import Metric
from penstock.tensorflow.keras.mixed_precision import DTypePolicy, FloatDTypePolicy
from penstock.tensorflow.keras.models import Model, Sequential
from penstock.tensorflow.keras.optimizers import Optimizer
from penstock.tensorflow.keras.regularizers import Regularizer

__version__ = "3.15.1"


_INSTEAD = {
    "applications": "Write the model of layers; ps.load(path, model, layout='keras') reads saved weights.",
    "export": "ps.save(path, model) writes what ps.load(path, model) reads.",
}


_LATER = ("datasets", "ops", "preprocessing", "random", "saving")
"""Modules that not every program needs: imported on first use."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    raise _absent("tensorflow.keras", name, __all__, _INSTEAD)


__all__ = [
    "DTypePolicy", "FloatDTypePolicy", "Initializer", "Input", "KerasTensor", "Layer", "Loss", "Metric",
    "Model", "Optimizer", "Regularizer", "Sequential", "Variable", "activations", "backend",
    "callbacks", "config", "constraints", "distribution",
    "initializers", "layers", "losses", "metrics", "mixed_precision", "models",
    "optimizers", "regularizers", "utils", *_LATER,
]  # fmt: skip
