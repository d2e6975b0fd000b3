import tensorflow as tf

print(tf.stack([tf.ones([2]), tf.ones([3])]))
