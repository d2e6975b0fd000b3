import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(1.0)
write = tf.assign(w, 10.0)
with tf.control_dependencies([write]):
    after = tf.identity(w)
with tf.Session() as session:
    session.run(w.initializer)
    print(session.run(after), session.run(w))
