import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def model(x):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        return x * w, w


one, first = model(tf.constant([1.0, 2.0]))
two, second = model(tf.constant([3.0, 4.0]))
print(first is second, len(tf.global_variables()))
with tf.variable_scope("model", reuse=True):
    print(tf.get_variable("w", [2]) is first)
with tf.variable_scope("model") as scope:
    scope.reuse_variables()
    print(tf.get_variable("w", [2]) is first, scope.name)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([one, two]))
