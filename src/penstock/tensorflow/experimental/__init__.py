"""tf.experimental: the supported part of it."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.experimental",
    globals(),
    "_optional _ragged.partition _ragged.shape",
    later={__name__: "extension_type numpy"},
    rest="_extension_types.types _extension_types.dispatch",
)
