"""tf.sparse.cross, tf.sparse.cross_hashed and tf.ragged.cross_hashed, with values of all kinds."""

import tensorflow as tf


def shown(found):
    if isinstance(found, tf.RaggedTensor):
        return found.to_list(), found.dtype
    return [found.indices.numpy().tolist(), found.values.numpy().tolist(), found.dense_shape.numpy().tolist()]


words = tf.sparse.from_dense([["a", ""], ["b", "c"]])
others = tf.sparse.from_dense([["d"], ["e"]])
dense = tf.constant([["f"], ["g"]])
numbers = tf.sparse.from_dense([[1, 2], [0, 3]])
rows = tf.constant([[10, 20], [30, 40]])
for inputs in ([words, others, dense], [dense, rows, words, numbers], [rows, rows], [dense]):
    print(shown(tf.sparse.cross(inputs)))
    print(shown(tf.sparse.cross_hashed(inputs)))
    print(shown(tf.sparse.cross_hashed(inputs, num_buckets=100)))
    print(shown(tf.sparse.cross_hashed(inputs, 1000, hash_key=7)))
print(shown(tf.sparse.cross([words, dense], separator="-")))
print(shown(tf.sparse.cross([tf.constant([[1.7], [2.2]]), dense])))
print(shown(tf.sparse.cross([tf.sparse.from_dense([["a", "x"], ["", ""]]), dense])))
first, second = tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])
column = tf.constant([[1], [2]])
for inputs in ([first, second, column], [column, first, others]):
    print(shown(tf.ragged.cross(inputs)))
    print(shown(tf.ragged.cross_hashed(inputs)))
    print(shown(tf.ragged.cross_hashed(inputs, 100, hash_key=9)))
for inputs in ([["a"], ["b"]], dense, [tf.constant(["a", "b"]), dense], [words, tf.constant([["a"]])]):
    try:
        tf.sparse.cross(inputs)
    except (TypeError, tf.errors.InvalidArgumentError) as error:
        print(isinstance(error, TypeError))
