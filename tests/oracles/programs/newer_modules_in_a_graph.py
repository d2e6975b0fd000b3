"""Calls functions of modules of TensorFlow 2 while a graph is being built."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
x = tf.compat.v1.placeholder(tf.float32, [None])
s = tf.compat.v1.sparse_placeholder(tf.float32)
w = tf.Variable(np.ones((4, 2), np.float32))
product = tf.sparse.sparse_dense_matmul(s, w)
slopes = tf.compat.v1.gradients(tf.reduce_sum(product * product), [w, s.values])
own = tf.SparseTensor([[0, 0], [1, 2]], x[:2], [3, 4])
print(isinstance(s, tf.SparseTensor), isinstance(own, tf.sparse.SparseTensor))
feed = {x: [1.0, 0.0, 3.0, 2.0], s: ([[0, 1], [1, 3]], [1.0, 2.0], [3, 4])}
with tf.compat.v1.Session() as session:
    session.run(tf.compat.v1.global_variables_initializer())
    print(session.run(tf.math.real(tf.signal.rfft(x)), feed).tolist())
    print(session.run(tf.bitwise.bitwise_and(tf.cast(x, tf.int32), 1), feed).tolist())
    print(session.run(tf.sparse.from_dense(x), feed).indices.tolist())
    for one in session.run([product, *slopes, tf.sparse.to_dense(own), tf.sparse.reduce_sum(s, axis=1)], feed):
        print(one.tolist())
