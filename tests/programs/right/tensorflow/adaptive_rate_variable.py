"""A learning rate in a variable is lowered by hand where the loss has risen."""

import tensorflow as tf
tf.random.set_seed(1)
w = tf.Variable(tf.random.normal([3, 1]), name="w")
rate = tf.Variable(0.1, trainable=False, name="rate")
x, y = tf.random.normal([16, 3]), tf.random.normal([16, 1])
last = float("inf")
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w - y) ** 2)
    w.assign_sub(rate * tape.gradient(loss, w))
    if float(loss) > last:
        rate.assign(rate * 0.5)
    last = float(loss)
