import tensorflow as tf

weight = tf.Variable([1, 2])
print(tf.maximum(weight, 1))
print(tf.maximum(weight, 1.5))
