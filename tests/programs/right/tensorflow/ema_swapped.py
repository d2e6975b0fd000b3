"""Averaged weights are swapped in for evaluation, and the trained ones put back."""

import tensorflow as tf

tf.random.set_seed(4)
net = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
x, y = tf.random.normal([16, 3]), tf.random.normal([16, 1])
net(x)
shadow = [tf.Variable(v, trainable=False) for v in net.trainable_variables]
adam = tf.keras.optimizers.Adam(0.01)
for epoch in range(3):
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(x) - y) ** 2)
        adam.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        for s, v in zip(shadow, net.trainable_variables):
            s.assign(0.9 * s + 0.1 * v)
    kept = [v.numpy() for v in net.trainable_variables]
    for s, v in zip(shadow, net.trainable_variables):
        v.assign(s)
    print(tf.reduce_mean((net(x) - y) ** 2).numpy())
    for k, v in zip(kept, net.trainable_variables):
        v.assign(k)
