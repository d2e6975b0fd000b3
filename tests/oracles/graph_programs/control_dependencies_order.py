import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(2.0)
double = tf.assign(w, w * 2.0)
with tf.control_dependencies([double]):
    add = tf.assign_add(w, 1.0)
both = tf.group(double, add)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(add)
    print(session.run(w))
    session.run(both)
    print(session.run(w), both.name, both.type)
