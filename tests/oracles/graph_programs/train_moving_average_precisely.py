"""The share of a new value in a moving average is computed in float32."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
step = tf.Variable(0, trainable=False)
values = [tf.Variable(0.0), tf.Variable(np.float64(0.0), dtype=tf.float64)]
plain, counted = tf.train.ExponentialMovingAverage(0.99), tf.train.ExponentialMovingAverage(0.99, step)
moved = tf.group(plain.apply(values), counted.apply(values))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in (0, 10000):
        session.run([step.assign(number), *(one.assign(10.0) for one in values)])
        session.run(moved)
        found = session.run([kept.average(one) for kept in (plain, counted) for one in values])
        print([float(one) for one in found])
