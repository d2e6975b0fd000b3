import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (2, 4, 3))
for layer in (
    tf.keras.layers.SimpleRNN(2),
    tf.keras.layers.GRU(2, return_sequences=True),
    tf.keras.layers.GRU(2, reset_after=False),
    tf.keras.layers.LSTM(2),
    tf.keras.layers.LSTM(2, return_sequences=True, go_backwards=True, use_bias=False),
):
    layer(x)
    fill(layer)
    show(layer(x))
    print([v.path for v in layer.weights], [tuple(v.shape) for v in layer.weights])
layer = tf.keras.layers.LSTM(2, return_state=True)
layer(x)
print(layer.get_weights()[2].tolist())
fill(layer)
output, h, c = layer(x, initial_state=[tf.ones((2, 2)), tf.ones((2, 2)) * 0.5])
show(output)
show(c)
show(layer(x, mask=tf.constant([[True, True, False, False], [True, True, True, True]]))[0])
