"""Weights are averaged from some step on; statistics of the average are gathered at the end."""

import tensorflow as tf
tf.random.set_seed(3)
L = tf.keras.layers
def build():
    n = tf.keras.Sequential([L.Dense(4), L.BatchNormalization(), L.Dense(1)])
    n.build([None, 3])
    return n
net, swa = build(), build()
x, y = tf.random.normal([16, 3]), tf.random.normal([16, 1])
sgd = tf.keras.optimizers.SGD(0.05)
count = 0
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x, training=True) - y) ** 2)
    sgd.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    if turn >= 4:
        for s, v in zip(swa.trainable_variables, net.trainable_variables):
            s.assign((s * count + v) / (count + 1))
        count += 1
for _ in range(3):
    swa(x, training=True)
print(tf.reduce_mean((swa(x, training=False) - y) ** 2).numpy())
