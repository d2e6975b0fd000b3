import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(50, dtype=tf.float32)), (1, 5, 5, 2))
for layer in (tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2), tf.keras.layers.SeparableConv2D(3, 3)):
    layer(x)
    fill(layer)
    show(layer(x))
    print([v.path for v in layer.weights], [v.shape for v in layer.weights])
