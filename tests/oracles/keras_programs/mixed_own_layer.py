"""A layer of one's own finds its variables in halves, and writes them in float32."""

import tensorflow as tf
from tensorflow import keras


class Own(keras.layers.Layer):
    loud = True

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="w")
        self.exact = self.add_weight(shape=(), initializer="ones", name="exact", autocast=False)
        self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False, name="calls")
        self.pair = [self.add_weight(shape=(), initializer="ones", name=n) for n in "ab"]

    def call(self, x):
        if Own.loud:
            print(
                x.dtype.name,
                (self.w * 1).dtype.name,
                (self.exact * 1).dtype.name,
                (self.pair[0] * 1).dtype.name,
            )
        self.calls.assign_add(1.0)
        return x * self.w * self.pair[0] + self.pair[1]


class Outer(keras.layers.Layer):
    def __init__(self):
        super().__init__(dtype="mixed_bfloat16")
        self.inner = Own(dtype="mixed_float16")
        self.single = Own(dtype="float32")

    def call(self, x):
        return self.inner(x) + tf.cast(self.single(x), tf.float16)


layer = Own(dtype="mixed_float16")
print(layer(tf.constant([[1.0, 2.0]])).dtype.name)
print(layer.w.dtype, layer.pair[1].dtype, layer.calls.numpy(), layer.calls.dtype)
print([v.dtype for v in layer.variables])
Own.loud = False
outer = Outer()
outer(tf.ones((1, 2)))
Own.loud = True
print(outer(tf.constant([[1.0, 2.0]])).dtype.name)
