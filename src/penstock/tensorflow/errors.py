"""tf.errors: the errors that operations raise."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.errors",
    globals(),
    "_errors",
    listed={"penstock.tensorflow._graphs.tensor": "OperatorNotAllowedInGraphError"},
)
