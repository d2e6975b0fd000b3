"""Steps in which an `if` chooses layers: Adam moves those that were not chosen by their momentum."""

# ruff: noqa: SIM108

import numpy as np
import tensorflow as tf


def batches():
    return [tf.constant([[1.0, 2.0], [3.0, 5.0]]) * sign for sign in (1.0, -1.0, 1.0, 1.0, -1.0)]


def show(word, losses, layers):
    print(word, np.round(losses, 5).tolist())
    for layer in layers:
        print([np.round(one.numpy(), 4).tolist() for one in layer.weights])


def train(word, make, optimizer, training=False):
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(3)
    first, second = make(), make()
    options = {"training": True} if training else {}

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            if tf.reduce_sum(x) > 0:
                found = first(x, **options)
            else:
                found = second(x, **options)
            loss = tf.reduce_mean((found - 1.0) ** 2)
        weights = first.trainable_weights + second.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    show(word, [float(step(x)) for x in batches()], (first, second))


train("dense", lambda: tf.keras.layers.Dense(2), tf.keras.optimizers.Adam(0.1))
train("normalized", tf.keras.layers.BatchNormalization, tf.keras.optimizers.SGD(0.1, momentum=0.9), True)
train(
    "dropped",
    lambda: tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dropout(0.5, seed=1)]),
    tf.keras.optimizers.RMSprop(0.01, momentum=0.5),
    True,
)


class Agent(tf.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
        self.optimizer = tf.keras.optimizers.Adam(0.1)
        self.steps = tf.Variable(0)
        self.mean = tf.keras.metrics.Mean()

    def value(self, x):
        if tf.reduce_sum(x) > 0:
            return tf.reduce_sum(self.left * x)
        return tf.reduce_sum(self.right * x)

    @tf.function
    def step(self, x):
        with tf.GradientTape() as tape:
            loss = self.value(x)
            if loss > 0.5:
                loss = loss + tf.reduce_sum(self.right**2)
                self.mean.update_state(loss)
            else:
                self.steps.assign_add(1)
        weights = [self.left, self.right]
        gradients, norm = tf.clip_by_global_norm(tape.gradient(loss, weights), 1.0)
        self.optimizer.apply_gradients(zip(gradients, weights))
        return norm


agent = Agent()
print(np.round([float(agent.step(x)) for x in batches()], 5).tolist())
print(
    np.round(agent.left.numpy(), 5),
    np.round(agent.right.numpy(), 5),
    agent.steps.numpy(),
    agent.mean.result().numpy(),
)
