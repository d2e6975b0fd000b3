import tensorflow as tf

whole = tf.Variable(1)
whole.assign_add(0.5)
