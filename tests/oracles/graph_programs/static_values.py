"""get_static_value in a graph, and tf.nn.dropout with a rate that is fed."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None], name="x")
rate = tf.placeholder_with_default(0.5, [])
for one in (x, tf.constant([1.0, 2.0]), tf.Variable(1.0), tf.constant(3), tf.zeros([2]), x + 1.0):
    value = tf.get_static_value(one)
    print(None if value is None else (value.dtype, value.tolist()))
kept = tf.nn.dropout(tf.ones([8]), rate=1.0 - rate, seed=3)
slope = tf.gradients(tf.reduce_sum(kept), rate)
with tf.Session() as session:
    for options in ({}, {rate: 0.8}):
        print(session.run(kept, options).tolist(), session.run(slope, options))
