"""tf.keras.ops.image: the functions of keras.ops on pictures."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._ops.base import _made
from penstock.tensorflow.keras._ops.homes import MODULES as _MODULES

globals().update({name: _made[name] for name in _MODULES["image"].split() if name in _made})
__getattr__, __dir__, __all__ = _namespace("tf.keras.ops.image", globals())
