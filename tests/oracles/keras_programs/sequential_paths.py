import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


inner = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
outer = tf.keras.Sequential([tf.keras.layers.Dense(3), inner], name="outer")
print(outer.built, len(outer.weights))
outer(tf.zeros((2, 4)))
for variable in outer.weights:
    print(variable.path, variable.shape)
print(outer.built, [layer.name for layer in outer.layers])
