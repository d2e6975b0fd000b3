"""Shapes, axes and counts that are NumPy arrays and NumPy's numbers."""

import numpy as np
import tensorflow as tf

lengths = np.array([2, 3], np.int32)
x = np.arange(6.0)
print(tf.TensorShape(lengths), tf.TensorShape(np.int64(4)), tf.TensorShape(np.array([], np.int64)))
print(tf.reshape(x, lengths).numpy().tolist(), tf.reshape(tf.constant(x), lengths.astype(np.int64)).shape)
print(tf.reshape(x, tf.shape(tf.ones([3, 2])).numpy()).shape, tf.reshape([1.0], np.array([], np.int32)))
print(tf.zeros(lengths).shape, tf.ones(lengths).shape, tf.fill(lengths, 2.0).numpy().tolist())
print(tf.broadcast_to(np.ones([1, 3]), lengths).shape, tf.tile(np.ones([1, 1]), lengths).shape)
print(tf.slice(np.eye(3), np.array([0, 1]), lengths[:1].repeat(2)).numpy().tolist())
print(tf.transpose(np.ones([2, 3]), np.array([1, 0])).shape, tf.reverse(x, np.array([0])).numpy().tolist())
print([one.shape for one in tf.split(np.ones([5, 2]), np.array([2, 3]))])
print(tf.random.normal(lengths).shape, tf.random.uniform(lengths).shape, tf.random.gamma(lengths, 1.0).shape)
print(tf.random.stateless_normal(lengths, [1, 2]).shape, tf.scatter_nd([[0, 0]], [1.0], lengths).shape)
print(tf.image.resize(np.ones([1, 2, 2, 1]), np.array([3, 4])).shape)
