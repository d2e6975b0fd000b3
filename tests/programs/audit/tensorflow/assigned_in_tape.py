"""A value is put into a variable inside the tape, and the loss is computed from that variable."""

import tensorflow as tf

weight = tf.Variable(1.5, name="weight")
memory = tf.Variable(0.0, trainable=False, name="memory")
with tf.GradientTape() as tape:
    memory.assign(weight * 3)
    cost = memory * memory
print("slope", tape.gradient(cost, weight))
