import tensorflow as tf

print([item.numpy() for item in tf.Variable([1.0, 2.0])])
