import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.Dense(2)
layer.trainable = False
layer(tf.zeros((1, 3)))
print(layer.trainable_variables, len(layer.non_trainable_variables))
layer.trainable = True
print(len(layer.trainable_variables))
other = tf.keras.layers.Dense(2, trainable=False)
other(tf.zeros((1, 3)))
print(other.trainable, len(other.trainable_weights), len(other.weights))
