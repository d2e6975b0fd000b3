import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a, b = tf.constant(1.0), tf.constant([1, 2])
with tf.Session() as session:
    print(session.run(a), type(session.run(a)).__name__, session.run(b).dtype)
    print(session.run([a, [b, a]]), session.run((a, b)))
    print(session.run({"a": a, "more": [b, tf.no_op()]}))
    print(session.run([]), session.run(tf.no_op()))
