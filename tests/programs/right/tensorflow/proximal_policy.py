"""Proximal policy optimization: several epochs over one batch, a shared body, an entropy bonus."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)


class Agent(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = tf.keras.layers.Dense(8, activation="tanh")
        self.policy = tf.keras.layers.Dense(3)
        self.value = tf.keras.layers.Dense(1)

    def call(self, s):
        s = self.body(s)
        return self.policy(s), tf.squeeze(self.value(s), axis=-1)


def log_chance(logits, actions):
    return tf.reduce_sum(tf.nn.log_softmax(logits) * tf.one_hot(actions, 3), axis=1)


agent = Agent()
optimizer = tf.keras.optimizers.Adam(3e-3)
for update in range(2):
    states = rng.standard_normal((32, 4)).astype(np.float32)
    logits, values = agent(states)
    actions = tf.squeeze(tf.random.categorical(logits, 1), axis=1).numpy()
    old = log_chance(logits, actions).numpy()
    returns = (states[:, 0] * actions).astype(np.float32)
    advantages = returns - values.numpy()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for epoch in range(2):
        for rows in np.split(rng.permutation(32), 2):
            with tf.GradientTape() as tape:
                logits, value = agent(states[rows])
                log_p = log_chance(logits, actions[rows])
                ratio = tf.exp(log_p - old[rows])
                clipped = tf.clip_by_value(ratio, 0.8, 1.2)
                gain = tf.minimum(ratio * advantages[rows], clipped * advantages[rows])
                policy_loss = -tf.reduce_mean(gain)
                value_loss = tf.reduce_mean((returns[rows] - value) ** 2)
                entropy = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), 1))
                loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
            grads, _ = tf.clip_by_global_norm(tape.gradient(loss, agent.trainable_variables), 0.5)
            optimizer.apply_gradients(zip(grads, agent.trainable_variables))
print(float(loss))
