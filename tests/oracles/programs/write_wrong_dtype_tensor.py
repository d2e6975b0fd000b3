import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
weight.assign(tf.constant([1, 2]))
