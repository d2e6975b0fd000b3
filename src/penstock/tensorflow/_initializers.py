"""Initializers of Keras under the names that TensorFlow keeps for them beside tf.keras."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import _convert, _draws
from penstock.tensorflow.keras.initializers import Constant, RandomNormal, RandomUniform
from penstock.tensorflow.keras.initializers import Ones as ones_initializer
from penstock.tensorflow.keras.initializers import Zeros as zeros_initializer


class constant_initializer(Constant):  # type: ignore[misc]
    """One number, or as many as the shape has elements, in their order: what `tf.constant` makes of both.

    >>> from penstock import tensorflow as tf
    >>> tf.constant_initializer([1, 2, 3, 4])((2, 2)).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return _convert.constant(self.value, "float32" if dtype is None else dtype, shape)


class random_normal_initializer(RandomNormal):  # type: ignore[misc]
    """Draws from a normal distribution: with a seed the same each time, without as `tf.random.normal` does.

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(0)
    >>> print(tf.random_normal_initializer(1.0, 2.0)([2]))
    tf.Tensor([4.0221252 1.845844 ], shape=(2,), dtype=float32)
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        super().__init__(mean, stddev, 0 if seed is None else seed)
        self._given_seed = seed

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if self._given_seed is not None:
            return super().__call__(shape, dtype)
        return _draws.normal(shape, self.mean, self.stddev, "float32" if dtype is None else dtype)


class random_uniform_initializer(RandomUniform):  # type: ignore[misc]
    """Draws from `minval` to `maxval`: with a seed the same each time, without as `tf.random.uniform` does.

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(0)
    >>> print(tf.random_uniform_initializer(-1.0, 1.0)([2]))
    tf.Tensor([-0.41604972 -0.5868671 ], shape=(2,), dtype=float32)
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        super().__init__(minval, maxval, 0 if seed is None else seed)
        self._given_seed = seed

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if self._given_seed is not None:
            return super().__call__(shape, dtype)
        return _draws.uniform(shape, self.minval, self.maxval, "float32" if dtype is None else dtype)


__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]
