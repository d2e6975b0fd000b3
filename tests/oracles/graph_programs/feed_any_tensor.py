import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(2.0)
b = a * 3.0
c = b + 1.0
with tf.Session() as session:
    print(session.run(c), session.run(c, {b: 10.0}), session.run([b, c], {b: 10.0}))
    print(session.run(c, feed_dict={a: 1.0}))
