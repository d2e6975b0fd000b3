import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
w.assign([1.0, 2.0, 3.0])
