import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
print(tf.gather(table, [0, 5]))
