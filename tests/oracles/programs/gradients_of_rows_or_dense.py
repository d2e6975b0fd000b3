import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
values = tf.Variable([1.0, 2.0, 3.0])


def sparse():
    return tf.sparse.SparseTensor([[0, 1], [1, 0], [2, 2]], values, [3, 3])


def told(name, function):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(function()))
    for gradient in tape.gradient(loss, [table, values]):
        if isinstance(gradient, tf.IndexedSlices):
            print(name, "rows", gradient.indices.numpy(), gradient.values.numpy().tolist())
        elif gradient is not None:
            print(name, "dense", gradient.numpy().tolist())
        else:
            print(name, None)


told("gather", lambda: tf.gather(table, [1, 1]))
told("gather_nd", lambda: tf.gather_nd(table, [[1], [0]]))
told("gather_nd", lambda: tf.gather_nd(table, [[1, 0]]))
told("gather_nd", lambda: tf.gather_nd(table, [[[1]], [[0]]]))
told("gather_nd", lambda: table.gather_nd([[1], [2]]))
told("mask", lambda: tf.boolean_mask(table, [True, False, False, True]))
told("repeat", lambda: tf.repeat(table, [1, 2, 0, 1], axis=0))
told("repeat", lambda: tf.repeat(table, 2, axis=0))
told("pad", lambda: tf.pad(table, [[1, 1], [1, 1]], "REFLECT"))
told("segments", lambda: tf.sparse.segment_sum(table, [0, 1], [0, 0]))
told("segments", lambda: tf.sparse.segment_mean(table, [0, 1], [0, 0], sparse_gradient=True))
told("segments", lambda: tf.compat.v1.sparse_segment_sum(table, [3, 1], [0, 1]))
told("shuffle", lambda: tf.random.shuffle(table))
told("reorder", lambda: tf.sparse.reorder(sparse()).values)
told("transpose", lambda: tf.sparse.transpose(sparse()).values)
told("slice", lambda: tf.sparse.slice(sparse(), [0, 0], [2, 2]).values)
told("retain", lambda: tf.sparse.retain(sparse(), [True, False, True]).values)
told("fill", lambda: tf.sparse.fill_empty_rows(sparse(), 0.0)[0].values)
