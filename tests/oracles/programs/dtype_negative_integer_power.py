import tensorflow as tf

print(tf.constant([1, 2]) ** -1)
