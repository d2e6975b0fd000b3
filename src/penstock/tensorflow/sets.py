"""tf.sets: rows as sets of their elements."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.sets", globals(), "_sparse_functions")
