"""tf.keras.ops: the functions of Keras on tensors, with NumPy's names, over the native functions."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras._ops import (  # noqa: F401
    control,
    elementwise,
    matrices,
    networks,
    numpy_names,
    reductions,
    shapes,
    tensors,
)
from penstock.tensorflow.keras._ops.base import _made

globals().update(_made)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.ops", name, __all__)


__all__ = sorted(_made)
