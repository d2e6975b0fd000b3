import tensorflow as tf

vector = tf.Variable([1.0, 2.0, 3.0])
print(vector[1].numpy())
print(vector[3])
