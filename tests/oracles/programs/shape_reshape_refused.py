import tensorflow as tf

print(tf.reshape(tf.ones([2, 3]), [4, 2]))
