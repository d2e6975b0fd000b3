import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0)
tf.get_default_graph().finalize()
a + 1.0
