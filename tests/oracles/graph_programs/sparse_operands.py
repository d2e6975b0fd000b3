"""Feeds sparse tensors, fetches them, and trains through products of sparse and dense matrices."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def show(*values):
    for one in values:
        if hasattr(one, "indices"):
            print(one.indices.tolist(), np.round(one.values, 4).tolist(), one.dense_shape.tolist())
        else:
            print((np.round(np.asarray(one, "float64"), 4) + 0.0).tolist())


x = tf.sparse_placeholder(tf.float32, name="x")
beside = tf.sparse_placeholder(tf.float32, shape=[None, None])
y = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [4, 3], initializer=tf.ones_initializer())
v = tf.get_variable("v", [3, 2], initializer=tf.constant_initializer([[0.1, 0.2], [0.3, -0.1], [0.5, 0.4]]))
hidden = tf.nn.relu(tf.sparse_tensor_dense_matmul(beside, tf.sparse_tensor_dense_matmul(x, w)))
logits = tf.sparse_tensor_dense_matmul(beside, tf.matmul(hidden, v))
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=y))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
print(x, beside.shape, hidden.shape, logits)
slopes = tf.gradients(loss, [w, x.values])
kept = tf.sparse_retain(x, x.values > 1.5)
known = tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1.0, 2.0], dense_shape=[2, 3])
product = tf.sparse_tensor_dense_matmul(known, v)
changed = tf.SparseTensor(x.indices, tf.nn.relu(x.values - 1.5), x.dense_shape)
triple = np.array([[0, 1], [1, 3], [2, 0]]), np.array([1.0, 2.0, 3.0], np.float32), np.array([3, 4])
value = tf.SparseTensorValue(
    [[0, 0], [0, 1], [1, 1], [2, 2], [2, 0]], [1.0, 0.5, 1.0, 1.0, 0.25], [3, 3]
)
feed = {x: triple, beside: value, y: [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(*session.run(slopes, feed))
    for _ in range(4):
        show(session.run([train, loss], feed)[1])
    show(*session.run([logits, tf.sparse_tensor_to_dense(x), kept, changed, x], feed))
    show(session.run(product), x.eval(feed), session.run({"x": x}, feed)["x"])
    session.run(x)
