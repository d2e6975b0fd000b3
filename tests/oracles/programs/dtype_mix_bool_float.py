import tensorflow as tf

mask = tf.constant([True, False])
print(mask * 2.0)
