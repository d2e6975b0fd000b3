"""A frozen body with batch normalization and a new head; then the body is let go at a lower rate."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
x = tf.constant(rng.standard_normal((32, 4)).astype(np.float32))
y = tf.constant((rng.random(32) < 0.5).astype(np.int32))
base = tf.keras.Sequential(
    [tf.keras.layers.Dense(8), tf.keras.layers.BatchNormalization(), tf.keras.layers.ReLU()], name="base"
)
base(x, training=True)
base.trainable = False
inputs = tf.keras.Input((4,))
outputs = tf.keras.layers.Dense(2, name="head")(base(inputs, training=False))
model = tf.keras.Model(inputs, outputs)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def fit(optimizer, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return float(loss)


print(fit(tf.keras.optimizers.Adam(1e-2), 4))
base.trainable = True
print(fit(tf.keras.optimizers.Adam(1e-4), 4))
