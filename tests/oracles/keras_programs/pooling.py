import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(32, dtype=tf.float32)), (1, 4, 4, 2))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    top = tf.keras.layers.MaxPooling2D()(x)
    mean = tf.keras.layers.AveragePooling2D(3, strides=1, padding="same")(x)
show(top)
show(mean)
show(tape.gradient(top, x))
show(tf.keras.layers.MaxPooling1D(2)(x[0]))
