import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(18, dtype=tf.float32)), (1, 3, 3, 2))
for options in ({"strides": 2, "padding": "same"}, {"strides": 2}, {"strides": 2, "output_padding": 1}):
    layer = tf.keras.layers.Conv2DTranspose(1, 3, **options)
    layer(x)
    fill(layer)
    y = layer(x)
    print(y.shape, layer.kernel.shape)
    show(y[0, :, :, 0])
