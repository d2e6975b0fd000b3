import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", [2])
tf.train.GradientDescentOptimizer(0.1).apply_gradients([(None, w)])
