import keras
import numpy as np
import tensorflow as tf

nan, inf = float("nan"), float("inf")
rows = [
    [nan, 1, 3],
    [nan, nan, nan],
    [1, nan, 0],
    [2, 3, nan],
    [1, 1, 0],
    [-inf, nan, -inf],
    [nan, -inf, -inf],
]
labels = [2, 0, 0, 1, 0, 0, 0]
for dtype in ("float32", "float64", "float16", "bfloat16"):
    x = tf.cast(tf.constant(rows), dtype)
    print(tf.argmax(x, 1).numpy(), tf.argmin(x, 1).numpy(), tf.argmax(x, 0).numpy(), tf.argmin(x, 0).numpy())
    print(tf.function(tf.argmax)(x, 1).numpy(), tf.function(tf.argmin)(x, 0).numpy())

x = tf.constant(rows)
print(keras.ops.argmax(x, -1).numpy(), keras.ops.argmin(x, -1).numpy(), int(keras.ops.argmax(x)))
print(keras.ops.argmax(x, 1, keepdims=True).shape, keras.ops.argmin(x, keepdims=True).shape)
print(tf.math.in_top_k(labels, x, 3).numpy())
for metric in (keras.metrics.SparseCategoricalAccuracy(), keras.metrics.SparseTopKCategoricalAccuracy(k=1)):
    metric.update_state(labels, x)
    print(round(float(metric.result()), 4))
for metric in (keras.metrics.CategoricalAccuracy(), keras.metrics.TopKCategoricalAccuracy(k=3)):
    metric.update_state(np.eye(3)[labels], x)
    print(round(float(metric.result()), 4))
