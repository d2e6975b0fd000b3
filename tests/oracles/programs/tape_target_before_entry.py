import tensorflow as tf

weight = tf.Variable(2.0)
square = weight * weight
with tf.GradientTape() as tape:
    doubled = square * 2.0
print(tape.gradient(doubled, weight))
