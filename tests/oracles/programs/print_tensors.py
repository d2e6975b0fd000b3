import tensorflow as tf

print(tf.constant(1.0))
print(tf.constant([1.0, 2.5, -3.0]))
print(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
print(tf.constant(3), tf.constant([1, 2], dtype=tf.int64))
print(tf.constant(True), tf.constant(0.1, dtype=tf.float64))
print(tf.constant(1 / 3), tf.constant(1e-8), tf.constant(1e20), tf.constant(float("inf")))
print(tf.zeros([2, 0]))
print(tf.range(3), tf.ones([2, 3]))
print(tf.reshape(tf.range(8.0), [2, 2, 2]))
