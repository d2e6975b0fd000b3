import tensorflow as tf

weight = tf.Variable([[2.0, 2.0, 1.0], [5.0, 1.0, 1.0]])
with tf.GradientTape(persistent=True) as tape:
    largest = tf.reduce_max(weight, axis=1)
    smallest = tf.reduce_min(weight)
    product = tf.reduce_prod(weight * [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]], axis=1)
print(tape.gradient(largest, weight).numpy().tolist())
print(tape.gradient(smallest, weight).numpy().tolist())
print(tape.gradient(product, weight).numpy().tolist())
