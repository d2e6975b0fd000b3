import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class Scale(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0, name="w")

    def call(self, x):
        return x * self.w


layer = Scale()
print(layer(tf.constant([3.0])).numpy(), len(layer.variables), len(layer.trainable_variables))
