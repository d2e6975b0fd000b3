"""tf.graph_util: the operations of a GraphDef in another graph."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.graph_util", globals(), "_graphs.importing")
