"""tf.initializers: the names."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.initializers", globals(), "_graphs.initializers")
