import numpy as np
import tensorflow as tf

rows = [[1, 1, 3], [2, 0, 0]]
weights = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
for values in (rows, np.array(rows), tf.constant(rows), tf.ragged.constant(rows), tf.sparse.from_dense(rows)):
    for options in ({}, {"binary_output": True}, {"minlength": 6}):
        for axis in (0, -1):
            made = tf.sparse.bincount(values, axis=axis, **options)
            print(made.values.dtype.name, made.values.numpy().tolist(), made.dense_shape.numpy().tolist())
print(tf.sparse.bincount(rows, weights, axis=-1).values)
for function in (tf.sparse.bincount, tf.math.bincount):
    for axis in (0, -1):
        try:
            function(rows, weights, axis=axis, binary_output=True)
        except ValueError as error:
            print("ValueError", str(error)[:60])
whole = np.random.default_rng(0).integers(0, 120, (3, 4, 3))
for dtype in ("int8", "uint8", "int16", "int32", "int64"):
    for turn in (0.2, -0.55, 1.0):
        print(dtype, turn, tf.image.adjust_hue(tf.constant(whole, dtype), turn).numpy().tolist())
