"""tf.graph_util: parts of graphs, and graphs whose variables have become constants."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.graph_util", globals(), "_graphs.importing")
