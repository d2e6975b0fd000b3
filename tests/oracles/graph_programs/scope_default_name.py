import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def layer(x):
    with tf.variable_scope(None, default_name="layer"):
        return x * tf.get_variable("k", [])


x = layer(layer(tf.constant(1.0)))
print([v.name for v in tf.global_variables()], x.name)
