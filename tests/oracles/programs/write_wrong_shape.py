import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0], name="weight")
weight.assign([1.0, 2.0])
