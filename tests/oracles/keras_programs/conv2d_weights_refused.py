import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


kernel = tf.Variable(tf.ones((3, 3, 1, 2)), trainable=False)
bias = tf.Variable(tf.zeros((2,)), trainable=False)
tf.keras.layers.Conv2D(2, 3, weights=[kernel, bias])
