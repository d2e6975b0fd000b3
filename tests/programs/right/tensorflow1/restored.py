"""A regression saved and restored in the middle, with the slope of the answer by the input beside it."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
x = tf.placeholder(tf.float32, [None, 1])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 6])
b = tf.get_variable("b", [6], initializer=tf.zeros_initializer())
v = tf.get_variable("v", [6, 1])
out = tf.matmul(tf.tanh(tf.matmul(x, w) + b), v)
slope = tf.gradients(out, x)[0]
bend = tf.gradients(slope, x)[0]
loss = tf.reduce_mean(tf.square(out - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    points = np.linspace(-1, 1, 10).reshape(-1, 1)
    feed = {x: points, y: points**2}
    for _ in range(3):
        sess.run(train, feed)
    kept = sess.run([w, b, v])
    for _ in range(2):
        sess.run(train, feed)
    for variable, value in zip([w, b, v], kept):
        variable.load(value, sess)
    for _ in range(3):
        sess.run(train, feed)
    print(sess.run([loss, slope, bend], feed)[0])
