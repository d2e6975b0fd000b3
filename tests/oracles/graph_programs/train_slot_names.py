import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
with tf.name_scope("inner"):
    first = tf.Variable([1.0], name="first")
with tf.variable_scope("net"):
    second = tf.get_variable("second", [2])
    with tf.variable_scope("train"):
        tf.train.RMSPropOptimizer(0.1).minimize(tf.reduce_sum(second))
loss = tf.reduce_sum(first) + tf.reduce_sum(second)
with tf.name_scope("optimizer"):
    adam = tf.train.AdamOptimizer(0.1)
    adam.minimize(loss)
    tf.train.AdamOptimizer(0.1, name="Other").minimize(loss)
tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.variable_scope("other"), tf.name_scope("again"):
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
for one in tf.global_variables():
    print(one.name)
print([one.name for one in adam.variables()], adam.get_slot(first, "m").name)
