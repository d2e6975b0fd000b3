import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant(3.0)
y = x * x + 2.0 * x
slope = tf.gradients(y, x)
curve = tf.gradients(slope, x)
with tf.Session() as session:
    print(session.run(slope), session.run(curve))
