import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(1.0)
write = tf.assign(w, 5.0)
more = w.assign_add(2.0)
less = tf.assign_sub(w, 0.5)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(w), session.run(write), session.run(more), session.run(less), session.run(w))
