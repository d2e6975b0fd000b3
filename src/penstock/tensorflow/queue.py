"""tf.queue: elements that wait in line."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.queue", globals(), "_queues")
