import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class Scale(tf.keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.steps = self.add_weight(shape=(), initializer="zeros", trainable=False, name="steps")

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="w")
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=True, name="b")

    def call(self, inputs):
        self.steps.assign_add(1.0)
        return tf.matmul(inputs, self.w) + self.b


layer = Scale(2)
show(layer(tf.ones((1, 3))))
layer(tf.ones((1, 3)))
print([v.path for v in layer.trainable_weights], [v.path for v in layer.non_trainable_weights])
print(layer.steps.numpy(), layer)
