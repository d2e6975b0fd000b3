"""The loss is computed from the value itself; the variable only keeps it."""

import tensorflow as tf

weight = tf.Variable(1.5, name="weight")
memory = tf.Variable(0.0, trainable=False, name="memory")
with tf.GradientTape() as tape:
    value = weight * 3
    memory.assign(value)
    cost = value * value
print(f"slope {tape.gradient(cost, weight).numpy():.7f}")
