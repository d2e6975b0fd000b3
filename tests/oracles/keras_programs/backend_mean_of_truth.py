"""The mean of truth values, as of an accuracy: they count as 0 and 1."""

import tensorflow as tf

K = tf.keras.backend
right = tf.constant([[True, False, True, True], [False, False, True, False]])
print(K.mean(right))
print(K.mean(right, axis=-1), K.mean(right, axis=0, keepdims=True))
print(K.mean(K.equal(tf.constant([1, 2, 3]), tf.constant([1, 0, 3]))))
print(K.mean(tf.constant([1, 2, 4])), K.mean(tf.constant([1.0, 2.0])))
