import tensorflow as tf

print(len(tf.Variable([1.0, 2.0, 3.0])))
