import tensorflow as tf

table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print(tf.gather(table, [-1]))
