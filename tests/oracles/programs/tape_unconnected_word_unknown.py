import tensorflow as tf

weight = tf.Variable(1.0)
with tf.GradientTape() as tape:
    square = weight * weight
print(tape.gradient(square, weight, unconnected_gradients="nought"))
