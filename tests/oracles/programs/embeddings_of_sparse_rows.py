import numpy as np
import tensorflow as tf

at = [[0, 0], [0, 1], [2, 0], [3, 0], [3, 1], [3, 2]]
ids = tf.SparseTensor(at, [1, 3, 0, 2, 2, 4], [5, 4])
weights = tf.SparseTensor(at, [1.0, 2.0, 0.5, 3.0, 0.0, -1.0], [5, 4])
table = tf.Variable(np.cos(np.arange(15.0)).reshape(5, 3).astype(np.float32))


def show(value):
    print(np.round(value.numpy().astype(float), 5).tolist())


for combiner in ("sum", "mean", "sqrtn", None):
    for given in (None, weights):
        for norm in (None, 0.7):
            show(tf.nn.embedding_lookup_sparse(table, ids, given, combiner=combiner, max_norm=norm))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="mean") ** 2)
show(tf.convert_to_tensor(tape.gradient(y, table)))
ids = tf.SparseTensor(at, [1, -3, 0, 2, 2, 4], [5, 4])
for combiner in ("sum", "mean", "sqrtn"):
    for given in (None, weights):
        for default in (None, 2):
            show(tf.nn.safe_embedding_lookup_sparse(table, ids, given, combiner=combiner, default_id=default))
deep = tf.SparseTensor([[0, 0, 0], [1, 0, 1]], [1, 2], [2, 2, 2])
show(tf.nn.safe_embedding_lookup_sparse(table, deep))
show(tf.compat.v1.nn.embedding_lookup_sparse(table, deep, None, combiner="sum"))
for wrong in ("max", "median"):
    try:
        tf.nn.embedding_lookup_sparse(table, ids, None, combiner=wrong)
    except ValueError:
        print("refused")
sparse = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])
sparse.set_shape([3, None])
print(tf.sparse.to_dense(sparse.with_values([5, 6])).numpy().tolist())
try:
    sparse.set_shape([1, 4])
except ValueError:
    print("refused")
