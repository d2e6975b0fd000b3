"""Deep Q-learning with a copy of the network that is brought up to date now and then."""

import random

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
random.seed(0)
rng = np.random.default_rng(0)


def build():
    return tf.keras.Sequential(
        [tf.keras.layers.Input((3,)), tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)]
    )


q, target = build(), build()
target.set_weights(q.get_weights())
optimizer = tf.keras.optimizers.Adam(1e-2)
memory, state, epsilon = [], rng.standard_normal(3).astype(np.float32), 1.0
for step in range(24):
    if random.random() < epsilon:
        action = random.randrange(2)
    else:
        action = int(tf.argmax(q(state[None])[0]))
    following = rng.standard_normal(3).astype(np.float32)
    memory.append((state, action, float(state[0] * (2 * action - 1)), following))
    state, epsilon = following, epsilon * 0.95
    if len(memory) < 8:
        continue
    s, a, r, s2 = (np.array(part) for part in zip(*random.sample(memory, 8)))
    future = tf.reduce_max(target(s2), axis=1)
    goal = r.astype(np.float32) + 0.9 * future
    with tf.GradientTape() as tape:
        chosen = tf.reduce_sum(q(s) * tf.one_hot(a, 2), axis=1)
        loss = tf.keras.losses.Huber()(goal, chosen)
    grads = tape.gradient(loss, q.trainable_variables)
    optimizer.apply_gradients(zip(grads, q.trainable_variables))
    if step % 8 == 0:
        target.set_weights(q.get_weights())
print(float(loss))
