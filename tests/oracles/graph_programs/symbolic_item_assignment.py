import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant([1.0, 2.0])
x[0] = 3.0
