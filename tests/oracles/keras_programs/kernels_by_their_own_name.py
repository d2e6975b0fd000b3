"""The variable behind `kernel`, which Keras keeps under a name of its own."""

import tensorflow as tf

layers = tf.keras.layers
for layer, shape, name in (
    (layers.Dense(2), (None, 3), "_kernel"),
    (layers.Conv2D(2, 3), (None, 5, 5, 1), "_kernel"),
    (layers.EinsumDense("ab,bc->ac", 2), (None, 3), "_kernel"),
    (layers.Embedding(4, 2), (None, 3), "_embeddings"),
):
    print(hasattr(layer, name))
    layer.build(shape)
    variable = getattr(layer, name)
    print(variable is getattr(layer, name[1:]), variable.shape, variable.path)
    layer.enable_lora(1)
    print(variable is getattr(layer, name), variable.trainable)
