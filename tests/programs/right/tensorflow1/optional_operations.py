"""Operations to reset, to load and to copy stand ready; not every run needs them."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
features = tf.placeholder(tf.float32, [None, 2])
given = tf.placeholder(tf.float32, [2, 1])
online = tf.Variable([[1.0], [1.0]], name="online")
target = tf.Variable([[1.0], [1.0]], trainable=False, name="target")
count = tf.Variable(0, trainable=False, name="count")
reset, load = online.assign([[1.0], [1.0]]), online.assign(given)
keep = target.assign(online)
count_up = count.assign_add(1)
goal = tf.stop_gradient(tf.matmul(features, target)) * 0.9 + 1.0
loss = tf.reduce_mean((tf.matmul(features, online) - goal) ** 2)
train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for turn in range(6):
        session.run([train, count_up], {features: [[1.0 + turn, 2.0], [3.0, 4.0]]})
        if turn % 3 == 2:
            session.run(keep)
    print(session.run(online), session.run(count))
