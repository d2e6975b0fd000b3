import tensorflow as tf

point = tf.constant(2.0)
weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    product = point * weight
print(tape.gradient(product, [point, weight]))
