"""Q-learning with a target network that is copied now and then, and priorities kept in a variable."""

import tensorflow as tf

tf.random.set_seed(2)


def network():
    net = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
    net.build([None, 3])
    return net


online, target = network(), network()
target.set_weights(online.get_weights())
priorities = tf.Variable(tf.ones([32]), trainable=False, name="priorities")
states, later = tf.random.normal([32, 3]), tf.random.normal([32, 3])
rewards = tf.random.normal([32])
adam = tf.keras.optimizers.Adam(0.01)
for turn in range(9):
    rows = tf.argsort(priorities * tf.random.uniform([32]), direction="DESCENDING")[:8]
    goal = tf.gather(rewards, rows) + 0.9 * tf.reduce_max(target(tf.gather(later, rows)), 1)
    with tf.GradientTape() as tape:
        errors = online(tf.gather(states, rows))[:, 0] - tf.stop_gradient(goal)
        loss = tf.reduce_mean(errors**2)
    adam.apply_gradients(zip(tape.gradient(loss, online.trainable_variables), online.trainable_variables))
    priorities.scatter_nd_update(rows[:, None], tf.abs(errors))
    if turn % 3 == 2:
        target.set_weights(online.get_weights())
print(loss.numpy())
