# PS107 b
import tensorflow as tf

b = tf.Variable([4.0, 5.0], name="b")
for _ in range(3):
    column = tf.reshape(b, (2, 1))  # wrong
    with tf.GradientTape() as tape:
        column = tf.reshape(b, (2, 1))  # right
        loss = tf.reduce_sum(column * column)
    gradient = tape.gradient(loss, b)
    if gradient is not None:
        b.assign_sub(0.1 * gradient)
