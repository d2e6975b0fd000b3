"""tf.keras.backend: what Keras takes where a program says nothing, and functions from before Keras 3."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace


def floatx() -> str:
    """Returns the dtype that Keras gives to what has none."""
    return "float32"


def epsilon() -> float:
    """Returns the small number that Keras adds to what must not be zero."""
    return 1e-7


def image_data_format() -> str:
    """Returns where images have their channels."""
    return "channels_last"


def __getattr__(name: str) -> Any:
    # They stand on the functions of tf, which are made later than this file.
    from penstock.tensorflow.keras import _older_operations, _operations

    for home in () if name.startswith("_") else (_operations, _older_operations):
        found = vars(home).get(name)
        if callable(found) and getattr(found, "__module__", "").startswith("penstock"):
            return found
    return _missing(name)


_missing, __dir__, __all__ = _namespace("tf.keras.backend", globals(), "keras._automatic_names")
