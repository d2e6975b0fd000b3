import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0])
weight.assign_sub(1.0)
