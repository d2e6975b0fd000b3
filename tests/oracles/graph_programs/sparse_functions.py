"""Arranges, adds up and looks up sparse tensors whose parts are fed."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def show(one):
    if hasattr(one, "indices"):
        print(one.indices.tolist(), np.round(one.values, 4).tolist(), one.dense_shape.tolist())
    else:
        print((np.round(np.asarray(one, "float64"), 4) + 0.0).tolist())


x = tf.sparse_placeholder(tf.float32, [None, 4])
dense = tf.placeholder(tf.float32, [3, 4])
made = tf.sparse.from_dense(dense)
joined = tf.sparse_concat(1, [x, x])
filled, empty = tf.sparse_fill_empty_rows(x, 7.0)
print(made.shape, made.dtype, joined.shape, tf.sparse_transpose(x).get_shape(), empty.dtype)
results = [
    made,
    joined,
    filled,
    empty,
    tf.sparse_transpose(x),
    tf.sparse_reshape(x, [4, 3]),
    tf.sparse_slice(x, [0, 1], [2, 2]),
    tf.sparse_split(sp_input=x, num_split=2, axis=1)[1],
    tf.sparse_to_indicator(tf.cast(x, tf.int64), 6),
    tf.sparse_add(x, made),
    tf.sparse_add(x, dense),
    x * dense,
    x / 2.0,
    tf.sparse_softmax(x),
    tf.sparse_maximum(x, made),
    tf.sparse_reduce_sum(x, axis=1, keep_dims=True),
    tf.sparse_reduce_max(x),
    tf.sparse_tensor_dense_matmul(x, tf.ones([3, 2]), adjoint_a=True),
    tf.shape(x),
    tf.identity(x),
]
table = tf.get_variable("table", [5, 2], initializer=tf.constant_initializer(np.arange(10).reshape(5, 2)))
ids, weights = tf.sparse_placeholder(tf.int64), tf.sparse_placeholder(tf.float32)
weighed = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="sum")
safe = tf.nn.safe_embedding_lookup_sparse(table, ids, combiner="sqrtn")
total = tf.reduce_sum(tf.square(weighed)) + tf.reduce_sum(safe)
train = tf.train.GradientDescentOptimizer(0.01).minimize(total)
feed = {
    x: (np.array([[0, 1], [1, 3], [2, 0]]), np.array([1.0, 2.0, 3.0], np.float32), np.array([3, 4])),
    dense: np.arange(12).reshape(3, 4) % 3,
}
places = np.array([[0, 0], [1, 0], [1, 2]])
rows = {ids: (places, [1, 2, 4], [2, 3]), weights: (places, [0.5, 1.0, 2.0], [2, 3])}
with tf.Session() as session:
    for one in results:
        show(session.run(one, feed))
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        for one in session.run([weighed, safe, total / 10, train], rows)[:3]:
            show(one)
    show(session.run(table))
