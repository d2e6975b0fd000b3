import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant([1.0, 4.0])
n = tf.constant([7, 9])
with tf.Session() as session:
    print(session.run([tf.log(x), tf.rsqrt(x), tf.div(n, 2), tf.to_float(n), tf.squared_difference(x, 1.0)]))
    print(
        session.run([tf.reduce_sum(x, reduction_indices=[0], keep_dims=True), tf.to_int32(x), tf.mod(n, 4)])
    )
