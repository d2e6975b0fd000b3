"""Initializers of Keras under the names that TensorFlow keeps for them beside tf.keras."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import _convert
from penstock.tensorflow.keras.initializers import Constant
from penstock.tensorflow.keras.initializers import Ones as ones_initializer
from penstock.tensorflow.keras.initializers import RandomNormal as random_normal_initializer
from penstock.tensorflow.keras.initializers import RandomUniform as random_uniform_initializer
from penstock.tensorflow.keras.initializers import Zeros as zeros_initializer


class constant_initializer(Constant):  # type: ignore[misc]
    """One number, or as many as the shape has elements, in their order: what `tf.constant` makes of both.

    >>> from penstock import tensorflow as tf
    >>> tf.constant_initializer([1, 2, 3, 4])((2, 2)).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return _convert.constant(self.value, "float32" if dtype is None else dtype, shape)


__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]
