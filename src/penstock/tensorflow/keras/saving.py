"""tf.keras.saving: models in files, and the names of classes in them."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras._serial import (
    CustomObjectScope,
    custom_object_scope,
    deserialize_keras_object,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
    serialize_keras_object,
)
from penstock.tensorflow.keras.models import load_model, save_model


def save_weights(model: Any, filepath: Any, overwrite: bool = True) -> None:
    """Writes the weights of a model as a .weights.h5 file."""
    model.save_weights(filepath, overwrite)


def load_weights(model: Any, filepath: Any, skip_mismatch: bool = False) -> None:
    """Loads the weights of a .weights.h5 or .keras file into a model."""
    model.load_weights(filepath, skip_mismatch)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.saving", name, __all__)


__all__ = [
    "CustomObjectScope", "custom_object_scope", "deserialize_keras_object", "get_custom_objects",
    "get_registered_name", "get_registered_object", "load_model", "load_weights",
    "register_keras_serializable", "save_model", "save_weights", "serialize_keras_object",
]  # fmt: skip
