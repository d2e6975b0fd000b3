import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.cond(True, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
