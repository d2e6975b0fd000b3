import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
print(tf.executing_eagerly(), tf.constant([1.0]).shape)
print(isinstance(tf.constant(1.0), tf.Tensor), isinstance(tf.Variable(1.0), tf.Variable))
