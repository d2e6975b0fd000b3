import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [2])
y = tf.identity(x)
print(x == x, x == y, x != y, x == 1.0, x is None, x == None)  # noqa: E711
v = tf.Variable([1.0, 2.0])
w = tf.Variable([1.0, 2.0])
print(v == v, v == w, v != w, v == 1.0, w in [v], v in [w, v])
print(len({x, y, x}), len({v, w, v}), {v: 1}[v], hash(x) == hash(x))
print([one.name for one in [x, y] if one not in (y,)], [v, w].index(w), [x, y].index(y))
first, second = tf.cond(tf.constant(True), lambda: (x, y), lambda: (y, x))
print(first == second, first == first)
got = tf.get_variable("got", [2])
with tf.variable_scope("", reuse=True):
    print(tf.get_variable("got", [2]) == got)
print(tf.trainable_variables()[0] == v, tf.global_variables().index(got))
print(x.shape[0] == 2, tf.float32 == x.dtype, x.op == x.op, x.graph == tf.get_default_graph())
tf.enable_v2_tensorshape()
tf.enable_resource_variables()
