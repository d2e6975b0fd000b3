"""TD(0) without a target network: the value of the next state is held, by one name for one network."""

import tensorflow as tf

tf.random.set_seed(6)
value = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)])
adam = tf.keras.optimizers.Adam(0.01)
states, later, rewards = tf.random.normal([16, 3]), tf.random.normal([16, 3]), tf.random.normal([16, 1])
for _ in range(6):
    with tf.GradientTape() as tape:
        goal = rewards + 0.9 * tf.stop_gradient(value(later))
        loss = tf.reduce_mean((value(states) - goal) ** 2)
    adam.apply_gradients(zip(tape.gradient(loss, value.trainable_variables), value.trainable_variables))
print(loss.numpy())
