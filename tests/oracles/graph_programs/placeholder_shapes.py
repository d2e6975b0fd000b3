import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3], name="x")
print(x, repr(x), x.shape, x.get_shape().as_list(), x.dtype)
print(tf.matmul(x, tf.ones([3, 2])), x[0], x[:, 1], tf.reduce_sum(x, axis=1))
print(tf.reshape(x, [-1]), tf.transpose(x), tf.expand_dims(x, 0), tf.shape(x))
print(x + tf.ones([3]), tf.concat([x, x], 1), tf.concat([x, x], 0), tf.reduce_mean(x))
