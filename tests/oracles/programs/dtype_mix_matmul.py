import tensorflow as tf

left = tf.ones([2, 2])
right = tf.ones([2, 2], dtype=tf.float64)
print(tf.matmul(left, right))
