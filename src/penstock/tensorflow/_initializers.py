"""Initializers of Keras under the names that TensorFlow keeps for them beside tf.keras."""

from penstock.tensorflow.keras.initializers import Constant as constant_initializer
from penstock.tensorflow.keras.initializers import Ones as ones_initializer
from penstock.tensorflow.keras.initializers import RandomNormal as random_normal_initializer
from penstock.tensorflow.keras.initializers import RandomUniform as random_uniform_initializer
from penstock.tensorflow.keras.initializers import Zeros as zeros_initializer

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]
