"""tf.keras.applications.vgg16."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.vgg16", globals(), "keras.applications._parts keras.applications._vgg"
)
