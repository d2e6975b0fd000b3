"""A graph with a training operation, of which a second session runs only the prediction, on trained values."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
features = tf.placeholder(tf.float32, [None, 2])
kernel = tf.Variable([[1.0], [1.0]], name="kernel")
given = tf.placeholder(tf.float32, [2, 1])
restore = kernel.assign(given)
loss = tf.reduce_mean((tf.matmul(features, kernel) - 1.0) ** 2)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
batch = {features: [[1.0, 2.0], [3.0, 4.0]]}
with tf.Session() as session:
    session.run(restore, {given: [[0.3], [0.2]]})
    for _ in range(3):
        print(session.run(loss, batch))
