"""tf.experimental.extension_type: what is asked about extension types."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.experimental.extension_type", globals(), "_extension_types.types"
)
