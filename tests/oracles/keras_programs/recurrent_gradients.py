import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (2, 4, 3))
for layer in (tf.keras.layers.SimpleRNN(2), tf.keras.layers.GRU(2), tf.keras.layers.LSTM(2)):
    layer(x)
    fill(layer)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(layer(x) ** 2)
    for gradient in tape.gradient(loss, [x, *layer.trainable_variables]):
        show(tf.reduce_sum(gradient, axis=0))
