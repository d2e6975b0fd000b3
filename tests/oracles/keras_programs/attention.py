import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
x = tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (2, 3, 4))
y = tf.reshape(tf.cos(tf.range(16, dtype=tf.float32)), (2, 2, 4))
layer(x, y)
fill(layer)
show(layer(x, y))
output, scores = layer(x, x, return_attention_scores=True, use_causal_mask=True)
show(output)
show(scores[0, 0])
print([v.path for v in layer.weights], [tuple(v.shape) for v in layer.weights])
