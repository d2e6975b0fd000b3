import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    square = weight * weight
print(tape.gradient(square, weight))
print(tape.gradient(square, weight))
