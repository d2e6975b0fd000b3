import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
with tf.variable_scope("s", initializer=tf.constant_initializer(0.5)):
    w = tf.get_variable("w", [2])
with tf.Session() as session:
    session.run(w.initializer)
    print(session.run(w))
