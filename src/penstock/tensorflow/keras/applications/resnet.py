"""tf.keras.applications.resnet."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.resnet", globals(), "keras.applications._parts keras.applications._resnet"
)
