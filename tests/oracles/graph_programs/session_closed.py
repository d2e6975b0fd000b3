import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0)
session = tf.Session()
session.close()
session.run(a)
