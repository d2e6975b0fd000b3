import tensorflow as tf

print(tf.constant([1.0]).ndim)
print(tf.Variable([1.0]).ndim)
