import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32)
print(x, x.shape, tf.reduce_mean(x))
with tf.Session() as session:
    print(session.run(x + 1.0, {x: 2.0}), session.run(x + 1.0, {x: [1.0, 2.0]}))
