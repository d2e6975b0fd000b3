import tensorflow as tf
import numpy as np

values = (1, 1.0, True, [1, 2], [1, 2.5], np.float64(1.0), np.int64(1), np.array([1, 2]), np.array([1.5]))
for value in values:
    print(
        tf.Variable(value).dtype.name, tf.constant(value).dtype.name, tf.convert_to_tensor(value).dtype.name
    )
print(tf.Variable(1, dtype=tf.float32).dtype, tf.constant(1, dtype="float64").dtype)
print(tf.Variable(tf.constant(1.0, tf.float64)).dtype == tf.float64, tf.float32 == "float32")
