import tensorflow as tf

vector = tf.constant([1.0, 2.0, 3.0])
print(vector[[0, 2]])
