# PS103 counter
import tensorflow as tf

counter = tf.Variable(0, name="counter")  # wrong
counter = tf.Variable(0.0, name="counter")  # right
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.cast(counter, tf.float32) * 2.0
    gradient = tape.gradient(loss, counter)
    if gradient is not None:
        counter.assign_sub(0.01 * gradient)
