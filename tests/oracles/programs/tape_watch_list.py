import tensorflow as tf

left = tf.constant(2.0)
right = tf.constant(5.0)
with tf.GradientTape() as tape:
    tape.watch([left, right])
    product = left * right
print([part.numpy() for part in tape.gradient(product, [left, right])])
