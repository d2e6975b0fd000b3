import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


model = tf.keras.Sequential()
model.add(tf.keras.layers.Dense(3, name="a"))
model.add(tf.keras.layers.Dense(3, name="a"))
