import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


inner = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.BatchNormalization()])
model = tf.keras.Sequential([inner, tf.keras.layers.Dense(1)])
model(tf.zeros((2, 3)))
print(len(model.trainable_variables), len(model.non_trainable_variables))
inner.trainable = False
print(len(model.trainable_variables), len(model.non_trainable_variables))
print([layer.trainable for layer in inner.layers], model.trainable)
model.trainable = False
print(len(model.trainable_variables), len(model.non_trainable_variables), inner.layers[0].kernel.trainable)
model.trainable = True
print(len(model.trainable_variables), len(model.non_trainable_variables), inner.layers[0].kernel.trainable)
