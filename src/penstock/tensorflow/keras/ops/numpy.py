"""tf.keras.ops.numpy: the functions of keras.ops that NumPy has, too."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._ops.base import _made
from penstock.tensorflow.keras._ops.homes import HOMES as _HOMES

globals().update({name: one for name, one in _made.items() if name not in _HOMES})
__getattr__, __dir__, __all__ = _namespace("tf.keras.ops.numpy", globals())
