"""Compressed strings that a graph reads, and other names that TensorFlow 1 has in its modules."""

import gzip
import zlib

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
content = tf.placeholder(tf.string, [None])
read = tf.io.decode_compressed(content, "ZLIB")
usual = tf.placeholder_with_default(gzip.compress(b"one"), [], name="usual")
packed = tf.decode_compressed(usual, compression_type="GZIP")
print(read.shape, read.dtype, read.op.type, packed.shape)
sparse = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
product = tf.sparse.matmul(sparse, tf.constant([[1.0, 2.0], [3.0, 4.0]]), adjoint_b=True)
drawn = tf.random.multinomial(tf.constant([[0.0, -50.0], [-50.0, 0.0]]), 3)
with tf.Session() as session:
    print(session.run([read, packed], {content: [zlib.compress(b"a"), zlib.compress(b"bc")]}))
    print(session.run(packed, {usual: gzip.compress(b"two")}), usual.shape, usual)
    print(session.run([product, drawn]))
print(tf.debugging.get_log_device_placement(), tf.debugging.is_traceback_filtering_enabled())
tf.debugging.disable_traceback_filtering()
print(tf.debugging.is_traceback_filtering_enabled())
tf.debugging.enable_traceback_filtering()
