# PS104 w
import tensorflow as tf

w = tf.Variable(2.0, name="w")
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = w * w
    gradient = tape.gradient(loss, w)
    if gradient is not None:
        w = w - 0.1 * gradient  # wrong
        w.assign_sub(0.1 * gradient)  # right
