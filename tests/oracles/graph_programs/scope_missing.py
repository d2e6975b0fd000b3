import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
with tf.variable_scope("s", reuse=True):
    tf.get_variable("w", [2])
