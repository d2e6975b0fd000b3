import tensorflow as tf

left = tf.Variable([1.0, 2.0])
right = tf.Variable([1.0, 2.0, 3.0])
print(left + right)
