"""A layer without `build` that prints or draws in a function, a generator or a comprehension inside its code."""

import random

import numpy as np
import tensorflow as tf

random.seed(3)
np.random.seed(3)
amounts = (0.5, 2.0)


class Printed(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x):
        def told(word):
            print(word, len(amounts))

        told("inside")
        return self.inner(x)


class Drawn(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x):
        noise = sum([amount * random.random() for amount in amounts])
        noise += max(map(lambda _: np.random.rand(), amounts))
        return self.inner(x) * noise


@tf.function
def traced(x):
    print("traced")
    return x + 1


x = tf.ones((2, 3))
print(traced(x).numpy().tolist())
printed, drawn = Printed(), Drawn()
print(printed(x).numpy().tolist())
print(printed(x).numpy().tolist())
print(np.round(drawn(x).numpy(), 5).tolist())
print(np.round(drawn(x).numpy(), 5).tolist())
print(round(random.random(), 6), round(np.random.rand(), 6))
