import tensorflow as tf

weight = tf.Variable(3.0)
tape = tf.GradientTape()
square = weight * weight
print(tape.gradient(square, weight))
