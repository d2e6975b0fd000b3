"""Normalization adapted to arrays, tensors, data sets and lists of batches, in the precision of each."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
for data in (
    rng.normal(1000, 0.5, (1000, 3)).astype("float32"), rng.normal(5, 2, (50, 4, 3)),
    rng.integers(0, 9, (20, 3)),
):  # fmt: skip
    single = data.astype("float32")
    for axis in (-1, None, (1,)):
        layer = keras.layers.Normalization(axis=axis)
        layer.adapt(data)
        print(axis, np.asarray(layer.mean).ravel().tolist(), np.asarray(layer.variance).ravel().tolist())
        batched = tf.data.Dataset.from_tensor_slices(single).batch(7)
        for other in (batched, [single[:5], single[5:]], tf.constant(single)):
            layer = keras.layers.Normalization(axis=axis)
            layer.adapt(other)
            found = np.asarray(layer.mean).ravel(), np.asarray(layer.variance).ravel()
            print([np.round(one, 3).tolist() for one in found])
layer = keras.layers.Normalization()
layer.adapt(tf.data.Dataset.from_tensor_slices(rng.normal(size=(300, 2)).astype("float32")))
print(np.round(np.asarray(layer.mean), 4).tolist())
layer = keras.layers.Normalization()
pairs = (rng.normal(size=(30, 2)).astype("float32"), np.ones(30))
layer.adapt(tf.data.Dataset.from_tensor_slices(pairs).batch(4))
print(np.round(np.asarray(layer.variance), 4).tolist())
