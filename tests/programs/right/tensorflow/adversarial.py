"""A classifier that is trained on images made worse by the gradient of its own loss."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
opt = tf.keras.optimizers.SGD(0.1)
for step in range(5):
    x = tf.constant(rng.standard_normal((16, 4)).astype(np.float32))
    y = tf.cast(x[:, 0] > 0, tf.int32)
    worse = x
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(worse)
            loss = loss_fn(y, model(worse))
        worse = worse + 0.1 * tf.sign(tape.gradient(loss, worse))
        worse = tf.clip_by_value(worse, x - 0.15, x + 0.15)
    worse = tf.stop_gradient(worse)
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(worse))
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
print(float(loss))
