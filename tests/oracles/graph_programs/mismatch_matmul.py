import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 5])
tf.matmul(x, tf.zeros([4, 3]))
