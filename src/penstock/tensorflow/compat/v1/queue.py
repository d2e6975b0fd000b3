"""tf.queue of TensorFlow 1: queues of a graph."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.queue", globals(), "_graphs.queues")
