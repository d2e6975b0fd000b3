"""tf.keras.saving: models in files, and the names of classes in them."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace


def save_weights(model: Any, filepath: Any, overwrite: bool = True) -> None:
    """Writes the weights of a model as a .weights.h5 file."""
    model.save_weights(filepath, overwrite)


def load_weights(model: Any, filepath: Any, skip_mismatch: bool = False) -> None:
    """Loads the weights of a .weights.h5 or .keras file into a model."""
    model.load_weights(filepath, skip_mismatch)


__getattr__, __dir__, __all__ = _namespace("tf.keras.saving", globals(), "keras._serial keras.models")
