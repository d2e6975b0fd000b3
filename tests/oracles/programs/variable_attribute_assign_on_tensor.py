import tensorflow as tf

weight = tf.Variable(2.0)
moved = weight - 1.0
moved.assign(3.0)
