import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.get_variable("w", [2])
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    tf.get_variable("w", [3])
