import tensorflow as tf

weight = tf.Variable(3.0)
tape = tf.GradientTape()
with tape:
    with tape:
        square = weight * weight
