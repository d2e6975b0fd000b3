import tensorflow as tf

whole = tf.Variable(1)
whole.assign(1.5)
