import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    square = weight * weight
    triple = 3.0 * weight
print(tape.gradient([square, triple], weight, output_gradients=[None, tf.constant([1.0, 2.0])]))
