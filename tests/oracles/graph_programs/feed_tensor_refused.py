import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [])
with tf.Session() as session:
    session.run(x, feed_dict={x: tf.constant(2.0)})
