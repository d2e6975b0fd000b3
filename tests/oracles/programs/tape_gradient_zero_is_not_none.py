import tensorflow as tf

muted = tf.Variable(3.0)
healthy = tf.Variable(2.0)
with tf.GradientTape() as tape:
    value = healthy * healthy + 0.0 * muted
print(tape.gradient(value, [healthy, muted]))
