import tensorflow as tf

grid = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
grid.assign(tf.zeros([3, 2]))
