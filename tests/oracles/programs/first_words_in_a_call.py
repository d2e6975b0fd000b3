import tensorflow as tf
from tensorflow import concat

print(tf.size(tf.constant(["a", "b"])).numpy())
print(concat([tf.constant(["a"]), ["b"]], 0).numpy().tolist())
print(tf.reduce_sum(tf.constant([1, 2])).numpy(), concat([[1], [2]], 0).numpy())
