import tensorflow as tf

print(tf.reduce_sum(tf.ones([2, 3]), axis=2))
