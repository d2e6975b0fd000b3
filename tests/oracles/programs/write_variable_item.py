import tensorflow as tf

variable = tf.Variable([1.0, 2.0])
variable[0] = 5.0
