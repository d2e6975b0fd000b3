import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.Dense(2, activity_regularizer="l2", use_bias=False)
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
layer(x)
fill(layer)
layer(x)
show(layer.losses)
