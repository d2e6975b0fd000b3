import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = weight * weight
doubled = square * 2.0
print(tape.gradient(doubled, weight))
