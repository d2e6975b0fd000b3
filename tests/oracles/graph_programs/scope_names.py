import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
with tf.variable_scope("first"):
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    with tf.variable_scope("second"):
        v = tf.get_variable("v", [2])
        u = tf.Variable(1.0, name="u")
        print(tf.get_variable_scope().name, (v + 1.0).name)
print(w.name, v.name, u.name)
with tf.variable_scope("first"):
    print(tf.Variable(1.0, name="u").name, tf.constant(1.0).name)
with tf.name_scope("names"):
    print(tf.get_variable("x", [1]).name, tf.Variable(1.0, name="y").name)
