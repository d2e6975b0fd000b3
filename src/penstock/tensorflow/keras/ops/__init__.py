"""tf.keras.ops: the functions of Keras on tensors, with NumPy's names, over the native functions."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._ops import (  # noqa: F401
    control,
    convolutions,
    elementwise,
    matrices,
    networks,
    numpy_names,
    pictures,
    reductions,
    shapes,
    statistics,
    tensors,
    transforms,
)
from penstock.tensorflow.keras._ops.base import _made

globals().update(_made)
__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.ops", globals(), listed={__name__: "image linalg nn numpy"}
)
