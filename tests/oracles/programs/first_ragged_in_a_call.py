import tensorflow as tf
from tensorflow import concat, reverse

print(tf.reduce_sum(tf.ragged.constant([[1], [2, 3]]), axis=1).numpy())
print(concat([tf.ragged.constant([[1], [2, 3]]), [[4]]], 0).to_list())
print(reverse(tf.ragged.constant([[1], [2, 3]]), [0]).to_list())
