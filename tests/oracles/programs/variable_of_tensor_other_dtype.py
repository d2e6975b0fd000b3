import tensorflow as tf

tf.Variable(tf.constant(1.5), dtype=tf.float64)
