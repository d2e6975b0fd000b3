"""tf.keras.config: the defaults of Keras."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.config", globals(), "keras._defaults keras._settings keras.mixed_precision"
)
