"""Draws of tf.keras.backend, whose seeds Keras takes from NumPy: once for each trace of a function."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
backend = tf.keras.backend


def show(*values):
    print(*[np.round(np.asarray(value), 5).tolist() for value in values])


show(backend.random_normal((2,)), backend.random_uniform((2,), seed=3), backend.random_uniform((2,), -1.0, 1.0))
show(backend.truncated_normal((3,)), backend.random_bernoulli((4,), 0.5), backend.dropout(tf.ones([6]), 0.5))
show(backend.random_normal_variable((2,), 0.0, 2.0), backend.random_uniform_variable((2,), 0.0, 2.0, seed=4))


@tf.function
def drawn(x):
    return backend.random_normal(shape=(backend.shape(x)[0],)) + backend.random_uniform((1,))


for _ in range(3):
    show(drawn(tf.ones([2])), np.random.randint(100))


class Sampled(tf.keras.layers.Layer):
    def call(self, mean):
        return mean + backend.random_normal(shape=(backend.shape(mean)[0], 2))


layers = [tf.keras.Input((2,)), tf.keras.layers.Dense(2), Sampled(), tf.keras.layers.Dense(1)]
model = tf.keras.Sequential(layers)
model.compile("sgd", "mse")
history = model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=3, batch_size=4, verbose=0)
show(history.history["loss"], model.predict(np.ones((3, 2)), verbose=0), model(tf.ones([1, 2])))
show(np.random.randint(100))
