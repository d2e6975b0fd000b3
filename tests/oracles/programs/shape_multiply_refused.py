import tensorflow as tf

left = tf.constant([[1.0, 2.0], [3.0, 4.0]])
right = tf.constant([1.0, 2.0, 3.0])
print(left * right)
