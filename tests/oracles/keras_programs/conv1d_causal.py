import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.Conv1D(2, 3, padding="causal", dilation_rate=2)
x = tf.reshape(tf.sin(tf.range(14, dtype=tf.float32)), (1, 7, 2))
layer(x)
fill(layer)
show(layer(x))
