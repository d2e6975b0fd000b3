import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.Variable(2.0)
b = tf.Variable(a.initial_value * 3.0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([a, b]))
