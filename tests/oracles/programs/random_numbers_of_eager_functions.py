"""Functions that run eagerly draw from the seeds of the program, and so do the steps of `fit`."""

import warnings

import tensorflow as tf

# That functions of tf.data run as before.
warnings.filterwarnings("ignore", message="Even though")


class Drawn(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)
        self.drawn = []

    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        noise = tf.random.uniform([2])
        if tf.executing_eagerly():
            self.drawn.append(noise)
        return {"noise": tf.reduce_sum(noise)}


@tf.function
def noise(shape):
    return tf.random.normal(shape)


@tf.function
def noises():
    return noise([2]) + tf.random.uniform([2])


def draws():
    tf.random.set_seed(1)
    values = [noise([2]), noise([2]), noises(), tf.random.normal([2]), noises(), noise([3])]
    print([["%.6f" % x for x in value.numpy()] for value in values])


def fit(run_eagerly):
    x = tf.ones([4, 2])
    model = Drawn()
    model.compile("sgd", "mse", run_eagerly=run_eagerly)
    tf.random.set_seed(2)
    model.fit(x, x, batch_size=2, epochs=2, shuffle=False, verbose=0)
    print([["%.6f" % x for x in value.numpy()] for value in model.drawn])


draws()
tf.config.run_functions_eagerly(True)
draws()
fit(run_eagerly=False)
tf.config.run_functions_eagerly(False)
draws()
fit(run_eagerly=True)
fit(run_eagerly=False)
