"""tf.keras.backend: Keras' defaults, and functions from before Keras 3."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

# They stand on the functions of tf, which are made later than this file.
_REST = (
    "_activations _arrays _convert _elementwise _reductions keras._name_scopes keras._older_networks "
    "keras._older_operations keras._operations keras._symbols_and_dtypes"
)
__getattr__, __dir__, _public = _namespace(
    "tf.keras.backend", globals(), "keras._automatic_names keras._defaults keras._settings", rest=_REST
)
