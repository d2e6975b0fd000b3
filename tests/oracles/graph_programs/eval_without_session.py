import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0)
with tf.Session():
    print(a.eval(), (a + 1.0).eval())
a.eval()
