import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.get_variable("w", shape=[2], initializer=tf.constant([1.0, 2.0]))
