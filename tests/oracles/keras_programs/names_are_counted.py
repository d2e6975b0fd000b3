import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


layers = [tf.keras.layers.Dense(1), tf.keras.layers.Dense(1), tf.keras.layers.Conv2D(1, 2)]
layers += [tf.keras.layers.BatchNormalization(), tf.keras.layers.LeakyReLU(), tf.keras.layers.MaxPooling2D()]
layers += [tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Conv2DTranspose(1, 2)]
print([layer.name for layer in layers])
tf.keras.backend.clear_session()
print(tf.keras.layers.Dense(1).name)
print(layers[0], tf.keras.Sequential().name, tf.keras.Sequential(name="mine"))
