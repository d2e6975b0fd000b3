import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0)
with tf.Session() as session:
    session.run(a, {3: 1})
