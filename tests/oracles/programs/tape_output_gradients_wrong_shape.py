import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    square = weight * weight
print(tape.gradient(square, weight, output_gradients=tf.constant([1.0, 10.0])))
