import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.BatchNormalization()
x = tf.constant([[1.0, 2.0], [3.0, 8.0], [5.0, -1.0]])
weights = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(layer(x, training=True) * weights)
for gradient in tape.gradient(loss, [x, *layer.trainable_variables]):
    show(gradient)
