"""Adversaries in turns, gradients clipped by hand, a moving average to draw from."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
z = tf.placeholder(tf.float32, [None, 2])
real = tf.placeholder(tf.float32, [None, 1])
with tf.variable_scope("gen"):
    gw, gb = tf.get_variable("w", [2, 1]), tf.get_variable("b", [1], initializer=tf.zeros_initializer())
fake = tf.matmul(z, gw) + gb


def judge(x):
    with tf.variable_scope("dis", reuse=tf.AUTO_REUSE):
        h = tf.nn.relu(tf.matmul(x, tf.get_variable("w", [1, 8])) + tf.get_variable("b", [8]))
        return tf.matmul(h, tf.get_variable("v", [8, 1]))


bce = tf.nn.sigmoid_cross_entropy_with_logits
yes, no = judge(real), judge(fake)
d_loss = tf.reduce_mean(bce(labels=tf.ones_like(yes), logits=yes) + bce(labels=tf.zeros_like(no), logits=no))
g_loss = tf.reduce_mean(bce(labels=tf.ones_like(no), logits=no))
g_vars = [v for v in tf.trainable_variables() if v.name.startswith("gen")]
d_vars = [v for v in tf.trainable_variables() if v.name.startswith("dis")]
d_opt, g_opt = tf.train.AdamOptimizer(1e-2), tf.train.AdamOptimizer(1e-2)
slopes = d_opt.compute_gradients(d_loss, d_vars)
d_train = d_opt.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in slopes])
g_train = g_opt.minimize(g_loss, var_list=g_vars)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        fed = {z: rng.standard_normal((8, 2)), real: rng.normal(2.0, 0.5, (8, 1))}
        sess.run(d_train, fed)
        sess.run(g_train, fed)
    print(sess.run([d_loss, g_loss], fed))
