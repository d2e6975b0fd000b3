"""A layer around another, which classes of a program extend."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here


@named("tf.keras.layers.Wrapper")
class Wrapper(Layer):
    """A layer around `layer`, which it builds and saves; a class of yours says in `call` what it computes.

    Args:
        layer: the layer inside.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    Raises:
        ArgumentError: if `layer` is not a layer.

    >>> from penstock import tensorflow as tf
    >>> class Doubled(tf.keras.layers.Wrapper):
    ...     def call(self, inputs):
    ...         return 2 * self.layer(inputs)
    >>> Doubled(tf.keras.layers.Dense(1, kernel_initializer="ones"))(tf.ones((1, 3))).numpy().tolist()
    [[6.0]]
    """

    _is_base = True

    def __init__(self, layer: Any, **options: Any) -> None:
        if not isinstance(layer, Layer):
            raise ArgumentError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure wrapped "
                "layer is a valid Keras layer.",
                site=here(),
            )
        super().__init__(**options)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside."""
        if not self.layer.built:
            self.layer._build_from(input_shape)


__all__ = ["Wrapper"]
