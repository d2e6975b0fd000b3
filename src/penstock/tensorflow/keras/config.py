"""tf.keras.config: the defaults of Keras."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras.backend import epsilon, floatx, image_data_format
from penstock.tensorflow.keras.mixed_precision import dtype_policy, set_dtype_policy


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.config", name, __all__)


__all__ = ["dtype_policy", "epsilon", "floatx", "image_data_format", "set_dtype_policy"]
