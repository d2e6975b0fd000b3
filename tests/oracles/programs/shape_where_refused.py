import tensorflow as tf

print(tf.where(tf.constant([True, False]), tf.ones([3]), tf.zeros([3])))
