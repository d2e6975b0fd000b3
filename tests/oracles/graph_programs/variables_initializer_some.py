import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
with tf.Session() as session:
    session.run(tf.variables_initializer([b]))
    print(session.run(b))
    session.run(a)
