import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.Conv2D(2, 3)
layer(tf.zeros((1, 5, 5, 1)))
layer(tf.zeros((1, 5, 5, 3)))
