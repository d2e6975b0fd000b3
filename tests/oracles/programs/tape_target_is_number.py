import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = float(weight * weight)
print(tape.gradient(square, weight))
