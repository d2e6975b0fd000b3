"""Layers of Keras' earlier versions, which TensorFlow keeps under tf.keras.layers."""

from __future__ import annotations

from typing import Any

import penstock as ps
from penstock.declared import named
from penstock.functions.scratch import Scratch, exact
from penstock.tensorflow import _elementwise
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._preparing import Prepares
from penstock.tensorflow.keras._seed_generator import SeedGenerator
from penstock.trace.lengths import unknown
from penstock.trace.local import local
from penstock.trace.source_site import here


@named("tf.keras.layers.ThresholdedReLU")
class ThresholdedReLU(Layer):
    """Numbers above `theta` as they are, and 0 for the others.

    Args:
        theta: the bound, a float that is not below 0.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    Raises:
        ArgumentError: if `theta` is None or below 0.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.layers.ThresholdedReLU(2.0)(tf.constant([1.0, 2.0, 3.0])).numpy().tolist()
    [0.0, 0.0, 3.0]
    """

    supports_masking = True

    def __init__(self, theta: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        if theta is None:
            raise ArgumentError(
                "Theta of a Thresholded ReLU layer cannot be None, expecting a float. Received: None",
                site=here(),
            )
        if theta < 0:
            raise ArgumentError(
                f"The theta value of a Thresholded ReLU layer should be >=0. Received: {theta}", site=here()
            )
        # As a number of the layer's dtype, which is what a configuration names.
        self.theta = float(self._compute.type(theta))

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return inputs * _elementwise.cast(ps.greater(inputs, self.theta), self.compute_dtype)


class Stretched(Prepares):
    """Pictures that are made longer or shorter along an axis by a random part of their length, in training.

    Args:
        factor: the largest part, a float, or a pair of the least and the largest part.
        interpolation: how pictures are resized: a method of `tf.image.resize`.
        seed: the seed of the draws; None for one that is drawn.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.
    """

    _axis = -3

    def __init__(
        self, factor: Any, interpolation: str = "bilinear", seed: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._stream = SeedGenerator(seed)
        low, high = factor if isinstance(factor, tuple | list) else (-factor, factor)
        if high < low:
            raise ArgumentError(
                "`factor` argument cannot have an upper bound lesser than the lower bound. Received: "
                f"factor={factor}",
                site=here(),
            )
        if low < -1.0:
            raise ArgumentError(
                f"`factor` argument must have values larger than -1. Received: factor={factor}", site=here()
            )
        self.factor, self.interpolation, self.seed = factor, interpolation, seed
        self._range = (low, high)

    def call(self, inputs: Any, training: Any = True) -> Any:
        """Computes the layer."""
        from penstock.tensorflow import image

        images = _elementwise.cast(operand(inputs), self.compute_dtype)
        if not training:
            return images
        size = list(images._spec.shape[-3:-1])
        size[self._axis + 3] = self._length(size[self._axis + 3])
        return _elementwise.cast(image.resize(images, size, self.interpolation), self.compute_dtype)

    def _length(self, length: Any) -> Any:
        if isinstance(local.trace, Scratch) and not exact.get():
            # Only shapes are asked for, and no number is drawn yet.
            return unknown("None", 1)
        low, high = self._range
        drawn = random.uniform((), 1.0 + low, 1.0 + high, seed=self._stream)
        return int(_elementwise.cast(drawn * float(length), "int32"))


@named("tf.keras.layers.RandomHeight")
class RandomHeight(Stretched):
    """Pictures whose height changes by a random part of it, in training."""


@named("tf.keras.layers.RandomWidth")
class RandomWidth(Stretched):
    """Pictures whose width changes by a random part of it, in training."""

    _axis = -2


__all__ = ["RandomHeight", "RandomWidth", "ThresholdedReLU"]
