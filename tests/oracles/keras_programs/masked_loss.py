import numpy as np
import tensorflow as tf


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


kinds = tf.keras.layers
ids = tf.constant([[1, 2, 0, 0], [3, 1, 2, 0]])
model = tf.keras.Sequential(
    [kinds.Embedding(4, 3, mask_zero=True), kinds.LSTM(2, return_sequences=True), kinds.Dense(1)]
)
model(ids)
fill(model)
y = tf.reshape(tf.cos(tf.range(8, dtype=tf.float32)), (2, 4, 1))
for reduction in ("sum_over_batch_size", "sum", None):
    loss = tf.keras.losses.MeanSquaredError(reduction=reduction)
    print(np.round(np.asarray(loss(y, model(ids))), 5).tolist())
    print(np.round(np.asarray(loss(y, model(ids), sample_weight=tf.constant([[1.0, 3.0, 1.0, 1.0], [2.0, 1.0, 0.0, 1.0]]))), 5).tolist())
with tf.GradientTape() as tape:
    value = tf.keras.losses.MeanSquaredError()(y, model(ids))
for g in tape.gradient(value, model.trainable_variables[1:]):
    print(np.round(np.asarray(g), 4).tolist())
