import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.disable_v2_tensorshape()
wide = tf.placeholder(tf.float32, [3, None])
column = tf.reshape(tf.expand_dims(wide, 1), [3, 2, 1])
product = tf.matmul(column, tf.expand_dims(wide, 1))
print(wide.shape, column.shape, product.shape)
with tf.Session() as session:
    print(session.run(product, {wide: [[1, 2], [3, 4], [5, 6]]}).tolist())
tf.enable_v2_tensorshape()
print(wide.shape)
