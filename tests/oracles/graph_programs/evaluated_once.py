import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(0.0)
more = tf.assign_add(w, 1.0)
with tf.Session() as session:
    session.run(w.initializer)
    print(session.run([more, more, more * 10.0]), session.run(w))
