import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
float(tf.constant(1.0))
