"""Softmax regression with a hidden layer, the old cross entropy, and accuracy on held data."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
data = rng.standard_normal((60, 4)).astype(np.float32)
classes = np.eye(3, dtype=np.float32)[np.argmax(data[:, :3], axis=1)]
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 3])
keep = tf.placeholder_with_default(1.0, [])
w1 = tf.Variable(tf.truncated_normal([4, 8], stddev=0.3), name="w1")
b1 = tf.Variable(tf.zeros([8]), name="b1")
w2 = tf.Variable(tf.truncated_normal([8, 3], stddev=0.3), name="w2")
b2 = tf.Variable(tf.zeros([3]), name="b2")
hidden = tf.nn.dropout(tf.nn.relu(tf.matmul(x, w1) + b1), keep_prob=keep)
logits = tf.matmul(hidden, w2) + b2
cross = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
loss = cross + 1e-3 * (tf.nn.l2_loss(w1) + tf.nn.l2_loss(w2))
count = tf.Variable(0, trainable=False, name="count")
rate = tf.train.exponential_decay(0.1, count, 5, 0.9)
train = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=count)
right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(3):
        for start in range(0, 45, 15):
            sess.run(train, {x: data[start : start + 15], y: classes[start : start + 15], keep: 0.8})
        print(sess.run([loss, right], {x: data[45:], y: classes[45:]}))
