import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.get_variable("w")
