import tensorflow as tf

weight = tf.Variable(1.0)
weight.assign("two")
