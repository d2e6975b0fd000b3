import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, -4.0]])
layers = tf.keras.layers
for layer in (layers.Add(), layers.Subtract(), layers.Multiply(), layers.Average(), layers.Maximum()):
    show(layer([a, b]))
show(layers.Concatenate()([a, b]))
show(layers.concatenate([a, b], axis=0))
show(layers.add([a, b]))
show(layers.Dot(axes=1)([a, b]))
