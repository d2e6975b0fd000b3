"""The share of a new value in a moving average is computed in float32."""

import tensorflow as tf

for updates in (None, tf.Variable(5), 10000):
    kept = tf.train.ExponentialMovingAverage(0.99, num_updates=updates)
    for dtype in (tf.float32, tf.float64):
        value = tf.Variable(0.0, dtype=dtype)
        kept.apply([value])
        value.assign(10.0)
        kept.apply([value])
        print(float(kept.average(value)))
