import tensorflow as tf

matrix = tf.ones([2, 3])
vector = tf.Variable([1.0, 2.0, 3.0])
print(matrix @ vector)
