"""Parses features of any length and splits strings that are fed, which gives sparse tensors."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def show(one):
    print(one.indices.tolist(), one.values.tolist(), one.dense_shape.tolist())


words = tf.placeholder(tf.string, [None])
parts = tf.string_split(words)
print(parts.dtype, parts.shape)
feature = {
    "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 1, 4])),
    "b": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
}
message = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
record, records = tf.placeholder(tf.string, []), tf.placeholder(tf.string, [None])
wanted = {"a": tf.VarLenFeature(tf.int64), "b": tf.FixedLenFeature([1], tf.float32)}
one, several = tf.parse_single_example(record, wanted), tf.parse_example(records, wanted)
print(one["a"].dtype, one["b"].shape, several["b"].shape)
with tf.Session() as session:
    found = session.run([parts, tf.sparse_tensor_to_dense(parts, default_value="")], {words: ["a b c", "d", ""]})
    show(found[0])
    print(found[1].tolist())
    found = session.run([one, tf.sparse_tensor_to_dense(one["a"])], {record: message})
    show(found[0]["a"])
    print(found[0]["b"].tolist(), np.asarray(found[1]).tolist())
    show(session.run(several, {records: [message, message]})["a"])
