"""Gradients by row, of tables whose shape is fed."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
values = tf.placeholder(tf.float32, [None, 3])
places = tf.placeholder(tf.int32, [None])
shape = tf.placeholder(tf.int64, [2])
rows = tf.IndexedSlices(values, places, shape)
print(rows.dense_shape is shape, rows.shape, rows.dtype.name, (-rows).dense_shape is shape)
dense = tf.convert_to_tensor(rows)
print(dense.shape)
print(tf.IndexedSlices(values, places, tf.shape(tf.zeros([4, 3]))).shape)
doubled = tf.convert_to_tensor(rows) * 2.0
feeds = {values: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], places: [1, 1], shape: [3, 3]}
with tf.Session() as session:
    print(session.run(dense, feeds).tolist())
    print(session.run(doubled, feeds).tolist())
    print(session.run(-rows, feeds))
    print(session.run(rows, feeds)._fields)
