import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = weight * weight
weight.assign(10.0)
print(square.numpy(), tape.gradient(square, weight).numpy())
