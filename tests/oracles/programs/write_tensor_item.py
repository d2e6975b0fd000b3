import tensorflow as tf

tensor = tf.constant([1.0, 2.0])
tensor[0] = 5.0
