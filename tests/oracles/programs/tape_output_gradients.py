import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    square = weight * weight
    triple = 3.0 * weight
print(tape.gradient(square, weight).numpy())
print(tape.gradient(square, weight, output_gradients=tf.constant([1.0, 10.0, 100.0])).numpy())
cotangents = [tf.constant([1.0, 0.0, 0.0]), tf.constant([0.0, 0.0, 2.0])]
print(tape.gradient([square, triple], weight, output_gradients=cotangents).numpy())
