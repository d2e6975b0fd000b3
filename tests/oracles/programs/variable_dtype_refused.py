import tensorflow as tf

tf.Variable(1.5, dtype=tf.int32)
