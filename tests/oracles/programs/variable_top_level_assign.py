import tensorflow as tf

weight = tf.Variable(2.0)
tf.assign(weight, 3.0)
