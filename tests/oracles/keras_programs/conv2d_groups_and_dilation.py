import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(2 * 36 * 4, dtype=tf.float32)), (2, 6, 6, 4))
for options in ({"dilation_rate": 2}, {"padding": "same", "dilation_rate": (2, 1)}, {"strides": (2, 1)}):
    layer = tf.keras.layers.Conv2D(2, (3, 2), **options)
    layer(x)
    fill(layer)
    y = layer(x)
    print(y.shape)
    show(tf.reduce_sum(y, axis=(0, 1)))
