"""Attention along chosen axes of inputs that have more than three."""

import numpy as np
import tensorflow as tf
keras = tf.keras
def show(x): print(np.round(np.asarray(x, np.float64), 4).tolist())
x = tf.constant(np.sin(np.arange(2 * 3 * 4 * 5) * 0.7).reshape(2, 3, 4, 5), tf.float32)
y = tf.constant(np.cos(np.arange(2 * 3 * 2 * 5) * 0.3).reshape(2, 3, 2, 5), tf.float32)
def made(**options):
    keras.utils.set_random_seed(2)
    return keras.layers.MultiHeadAttention(2, 3, **options)
for axes in (2, (1,), (1, 2), None, [2]):
    layer = made(attention_axes=axes)
    out, scores = layer(x, x, return_attention_scores=True)
    print(axes, out.shape, scores.shape)
    show(out[0, 0])
    show(scores[0, 0, 0])
    show(layer(x, x)[1, 2])
layer = made(attention_axes=2)
show(layer(x, y)[0, 1])
mask = tf.constant(np.arange(2 * 4 * 2).reshape(2, 4, 2) % 3 != 0)
show(layer(x, y, attention_mask=mask)[1])
out, scores = layer(x, y, attention_mask=mask, return_attention_scores=True)
show(scores[1, 2])
full = tf.constant(np.arange(2 * 3 * 4 * 2).reshape(2, 3, 4, 2) % 5 != 0)
show(layer(x, y, attention_mask=full)[1])
print(layer.get_config()["attention_axes"], made().get_config()["attention_axes"], made(attention_axes=(1, 2)).get_config()["attention_axes"])
inputs = keras.Input([3, 4, 5])
model = keras.Model(inputs, made(attention_axes=(2,))(inputs, inputs))
print(model.output_shape)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(x) ** 2)
for one in tape.gradient(loss, model.trainable_variables): print(one.shape, np.round(float(tf.reduce_sum(tf.abs(one))), 2))
show(made(attention_axes=1)(x[:, :, 0], x[:, :, 0], use_causal_mask=True)[0])
