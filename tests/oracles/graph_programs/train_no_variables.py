import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant(1.0)
tf.train.GradientDescentOptimizer(0.1).minimize(x)
