import tensorflow as tf

print(tf.constant([[1.0, 2.0], [3.0]]))
