import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.range(12, dtype=tf.float32), (1, 3, 4))
print(tf.keras.layers.Flatten()(x).shape, tf.keras.layers.Reshape((2, -1))(x).shape)
show(tf.keras.layers.Permute((2, 1))(x))
print(tf.keras.layers.RepeatVector(3)(tf.zeros((2, 4))).shape)
print(tf.keras.layers.GlobalAveragePooling1D()(x).numpy().tolist())
print(tf.keras.layers.GlobalMaxPooling1D()(x).numpy().tolist())
