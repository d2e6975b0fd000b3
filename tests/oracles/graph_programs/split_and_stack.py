import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 4])
left, right = tf.split(x, 2, axis=1)
print(left.shape, tf.stack([left, right]).shape, [one.shape for one in tf.unstack(tf.zeros([2, 3]))])
with tf.Session() as session:
    print(session.run([left, right], {x: [[1, 2, 3, 4]]}))
