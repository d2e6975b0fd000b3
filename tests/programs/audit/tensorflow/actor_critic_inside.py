"""The same slot machine, with the actor and the critic inside the tapes: both learn."""

import numpy as np
import tensorflow as tf

draw = np.random.default_rng(5)
actor = [tf.Variable(np.zeros((2, 2), "float32"), name="actor/kernel")]
critic = [tf.Variable(np.zeros((2, 1), "float32"), name="critic/kernel")]
actor_adam = tf.keras.optimizers.Adam(learning_rate=0.05)
critic_adam = tf.keras.optimizers.Adam(learning_rate=0.05)

for turn in range(150):
    lights = np.eye(2, dtype="float32")[draw.integers(0, 2, 32)]
    states = tf.constant(lights)
    with tf.GradientTape() as tape:
        chances = tf.nn.softmax(tf.matmul(states, actor[0]))
        pulled = [draw.choice(2, p=row / row.sum()) for row in chances.numpy().astype("float64")]
        rewards = tf.constant(np.take_along_axis(lights, np.array(pulled)[:, None], 1))
        advantage = rewards - tf.matmul(states, critic[0])
        chosen = tf.reduce_sum(chances * tf.one_hot(pulled, 2), axis=1, keepdims=True)
        policy_cost = -tf.reduce_mean(tf.stop_gradient(advantage) * tf.math.log(chosen))
    actor_adam.apply_gradients(zip(tape.gradient(policy_cost, actor), actor))

    with tf.GradientTape() as tape:
        value_cost = tf.reduce_mean(tf.square(rewards - tf.matmul(states, critic[0])))
    critic_adam.apply_gradients(zip(tape.gradient(value_cost, critic), critic))
print(f"mean reward of the last 32: {rewards.numpy().mean():.2f}")
