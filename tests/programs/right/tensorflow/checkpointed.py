"""Mixed precision with a scaled loss, a checkpoint in the middle, and the rest of the run from it."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
net = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
opt = tf.keras.optimizers.Adam(1e-2)
scale = tf.Variable(1024.0, trainable=False, name="scale")
x = tf.constant(rng.standard_normal((16, 3)).astype(np.float32))
y = tf.reduce_sum(x, axis=1, keepdims=True)


def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - y) ** 2)
        scaled = loss * scale
    grads = [g / scale for g in tape.gradient(scaled, net.trainable_variables)]
    if all(bool(tf.reduce_all(tf.math.is_finite(g))) for g in grads):
        opt.apply_gradients(zip(grads, net.trainable_variables))
        scale.assign(min(float(scale) * 1.5, 65536.0))
    else:
        scale.assign(max(float(scale) / 2.0, 1.0))
    return float(loss)


for _ in range(3):
    step()
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "run.npz")
    np.savez(file, *net.get_weights())
    for _ in range(2):
        step()
    with np.load(file) as kept:
        net.set_weights([kept[name] for name in kept.files])
for _ in range(3):
    last = step()
print(last)
