import tensorflow as tf

single = tf.Variable(1.0)
double = tf.Variable(2.0, dtype=tf.float64)
print(single + double)
