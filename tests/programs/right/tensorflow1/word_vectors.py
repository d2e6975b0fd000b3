"""Skip-grams with drawn negatives; nearest words by the normalized table."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
text = rng.integers(0, 12, 100)
center = tf.placeholder(tf.int32, [None])
around = tf.placeholder(tf.int32, [None])
drawn = tf.placeholder(tf.int32, [None, 3])
table = tf.get_variable("table", [12, 4], initializer=tf.random_uniform_initializer(-0.5, 0.5))
context = tf.get_variable("context", [12, 4], initializer=tf.zeros_initializer())
v = tf.nn.embedding_lookup(table, center)
good = tf.reduce_sum(v * tf.nn.embedding_lookup(context, around), axis=1)
bad = tf.reduce_sum(tf.expand_dims(v, 1) * tf.nn.embedding_lookup(context, drawn), axis=2)
loss = tf.reduce_mean(tf.nn.softplus(-good)) + tf.reduce_mean(tf.reduce_sum(tf.nn.softplus(bad), axis=1))
train = tf.train.AdagradOptimizer(0.5).minimize(loss)
unit = table / tf.sqrt(tf.reduce_sum(tf.square(table), 1, keepdims=True))
near = tf.matmul(unit, unit, transpose_b=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        at = rng.integers(1, 99, 16)
        feed = {
            center: text[at],
            around: text[at + rng.choice([-1, 1], 16)],
            drawn: rng.integers(0, 12, (16, 3)),
        }
        value, _ = sess.run([loss, train], feed)
    print(value, sess.run(near)[0].argsort()[-2])
