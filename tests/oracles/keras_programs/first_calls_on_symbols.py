import random

import numpy as np
import tensorflow as tf

keras = tf.keras
K = keras.backend


def drawn(name, *more):
    print(name, *more, np.random.randint(1000), random.randint(0, 999))


class Plain(keras.layers.Layer):
    def call(self, x):
        drawn("plain")
        return x


class Built(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(2)

    def build(self, shape):
        self.inner.build(shape)

    def call(self, x):
        drawn("built")
        return self.inner(x)


class WithPart(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x):
        drawn("part")
        return self.inner(x)


class Flagged(WithPart):
    def __init__(self):
        super().__init__()
        self.built = True


class Network(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x, training=False):
        drawn("network", training)
        self.add_loss(tf.reduce_sum(x))
        return self.inner(x)


class Nested(keras.Model):
    def __init__(self):
        super().__init__()
        self.network, self.part, self.plain = Network(), WithPart(), Plain()

    def call(self, x):
        drawn("nested")
        return self.plain(self.part(self.network(x, training=True)))


class Noisy(keras.Model):
    """Keras' backend takes the seed from NumPy."""

    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x):
        return self.inner(x) + K.random_normal((2, 2), seed=None)


def made(kind):
    np.random.seed(0)
    random.seed(0)
    print("--", getattr(kind, "__name__", "sequential"))
    return kind()


x = tf.ones((2, 3))
for kind in (Plain, Built, WithPart, Flagged, Network, Nested):
    one = made(kind)
    print(one(x).numpy().tolist(), len(one.losses))
    one(x)
    print(np.random.randint(1000), len(one.losses))

noisy = made(Noisy)
print(np.round(noisy(x).numpy(), 4).tolist(), np.round(noisy(x).numpy(), 4).tolist())
print(np.random.randint(1000))

sequential = made(lambda: keras.Sequential([Plain(), WithPart()]))
sequential(x)
sequential(x)
sequential = made(lambda: keras.Sequential([keras.Input((3,)), Plain(), WithPart()]))
sequential(x)

inputs = keras.Input((3,))
np.random.seed(0)
random.seed(0)
functional = keras.Model(inputs, WithPart()(Plain()(inputs)))
print("made")
functional(x)

by_hand = made(Network)
by_hand(np.ones((2, 3)))
with tf.GradientTape() as tape:
    nested = made(Nested)
    loss = tf.reduce_sum(nested(x))
print([one.numpy().sum() for one in tape.gradient(loss, nested.trainable_variables)])

traced = made(Network)
step = tf.function(lambda x: traced(x))
step(x)
step(x)

noisy = made(Noisy)
step = tf.function(lambda x: noisy(x))
print(np.round(step(x).numpy(), 4).tolist(), np.round(step(x).numpy(), 4).tolist())
print(np.random.randint(1000))

# A step with a condition on a tensor creates the optimizer's variables: it is traced twice.
noisy = made(Noisy)
noisy(x)
count, optimizer = tf.Variable(0), keras.optimizers.SGD(0.1, momentum=0.9)


@tf.function
def trained():
    scale = 1.0
    if count > 5:
        scale = 2.0
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(noisy(x) ** 2) * scale
    weights = noisy.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    count.assign_add(1)
    return loss


print([round(float(trained()), 3) for _ in range(2)], np.random.randint(1000))
