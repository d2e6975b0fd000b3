import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.Conv2D(2, 3, strides=2, padding="same", activation="relu")
x = tf.reshape(tf.sin(tf.range(50, dtype=tf.float32)), (1, 5, 5, 2))
layer(x)
fill(layer)
with tf.GradientTape() as tape:
    y = layer(x)
    loss = tf.reduce_sum(y * y)
show(y)
for gradient in tape.gradient(loss, layer.trainable_variables):
    show(gradient)
print(layer.kernel.shape, layer.kernel.path)
