import tensorflow as tf

left = tf.constant([True, True, False])
right = tf.constant([True, False, False])
print((left & right).numpy(), (left | right).numpy(), (left ^ right).numpy(), (~left).numpy())
print(tf.logical_and(left, right).numpy(), tf.logical_not(right).numpy())
print(tf.reduce_any(left).numpy(), tf.reduce_all(left).numpy())
