import tensorflow as tf

whole = tf.Variable(1)
whole.assign(tf.Variable(2.0))
