import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
graph = tf.Graph()
with graph.as_default():
    a = tf.constant(1.0)
b = tf.constant(2.0)
tf.Session().run(a)
