import tensorflow as tf

single = tf.constant([1.0, 2.0])
double = tf.constant([1.0, 2.0], dtype=tf.float64)
print(tf.multiply(single, double))
