import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable([1.0, 2.0])
with tf.Session() as session:
    session.run(w.initializer)
    w.load([5.0, 6.0], session)
    print(session.run(w))
