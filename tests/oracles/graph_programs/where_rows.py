"""A vector of truths chooses rows, in TensorFlow 1's where; in TensorFlow 2's it broadcasts."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2])
rows = tf.where([True, False], x, -x)
cube = tf.where([True, False], tf.ones([2, 2, 2]), tf.zeros([2, 2, 2]))
broadcast = tf.compat.v2.where([True, False], x, -x)
with tf.Session() as session:
    data = [[1.0, 2.0], [3.0, 4.0]]
    print(session.run(rows, {x: data}).tolist())
    print(session.run(cube).tolist())
    print(session.run(tf.where(x > 2.0, x, -x), {x: data}).tolist())
    print(session.run(tf.where(x > 2.0), {x: data}).tolist())
    print(session.run(tf.gradients(rows, x), {x: data})[0].tolist())
    print(session.run(broadcast, {x: data}).tolist())
