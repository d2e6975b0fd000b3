"""tf.types: names for annotations."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.types", globals(), later={__name__: "experimental"})
