import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.LayerNormalization()
x = tf.constant([[1.0, 2.0, 4.0], [3.0, 8.0, -2.0]])
layer(x)
fill(layer)
show(layer(x))
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(layer(x) ** 2)
for gradient in tape.gradient(loss, [x, *layer.trainable_variables]):
    show(gradient)
