"""tf.keras.backend: what Keras takes where a program says nothing, and functions from before Keras 3."""

from __future__ import annotations

from penstock.declared import named as _named
from penstock.tensorflow._names import namespace as _namespace


@_named("tf.keras.config.floatx")
def floatx() -> str:
    """Returns the dtype that Keras gives to what has none."""
    return "float32"


@_named("tf.keras.config.epsilon")
def epsilon() -> float:
    """Returns the small number that Keras adds to what must not be zero."""
    return 1e-7


@_named("tf.keras.config.image_data_format")
def image_data_format() -> str:
    """Returns where images have their channels."""
    return "channels_last"


# They stand on the functions of tf, which are made later than this file.
_REST = "_activations _arrays _convert _elementwise _reductions keras._older_operations keras._operations"
__getattr__, __dir__, _public = _namespace(
    "tf.keras.backend", globals(), "keras._automatic_names", rest=_REST
)
