# PS109 w
import tensorflow as tf

w = tf.Variable(2.0, name="w")
memory = tf.Variable(0.0, name="memory", trainable=False)
for _ in range(3):
    with tf.GradientTape() as tape:
        value = w * 3.0
        memory.assign(value)  # here
        loss = memory * memory  # wrong
        loss = value * value  # right
    gradient = tape.gradient(loss, w)  # here
    if gradient is not None:
        w.assign_sub(0.01 * gradient)
