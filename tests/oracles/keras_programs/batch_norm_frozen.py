import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layer = tf.keras.layers.BatchNormalization(momentum=0.5)
x = tf.constant([[1.0, 2.0], [3.0, 8.0]])
layer(x, training=True)
layer.trainable = False
before = layer.moving_mean.numpy()
show(layer(x, training=True))
print(np.array_equal(before, layer.moving_mean.numpy()))
