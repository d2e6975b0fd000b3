"""tf.profiler: its names, for programs that time themselves; nothing is written."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.profiler", globals(), listed={__name__: "experimental"})
