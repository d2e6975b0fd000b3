import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    square = weight * weight
tape.reset()
