import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
size = tf.placeholder(tf.int32, [])
zeros = tf.zeros([size, 2])
with tf.Session() as session:
    print(zeros.shape, session.run(zeros, {size: 1}).shape, session.run(zeros, {size: 3}).shape)
