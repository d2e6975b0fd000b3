import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = inputs = tf.keras.Input((8, 8, 1))
x = tf.keras.layers.Conv2D(4, 3, strides=2, padding="same")(x)
x = tf.keras.layers.BatchNormalization()(x)
x = tf.keras.layers.LeakyReLU(0.2)(x)
x = tf.keras.layers.Flatten()(x)
x = tf.keras.layers.Dropout(0.3)(x)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(x))
print(model.output_shape, len(model.trainable_variables), len(model.layers), model.count_params())
fill(model)
show(model(tf.reshape(tf.sin(tf.range(64, dtype=tf.float32)), (1, 8, 8, 1))))
part = tf.keras.Model(model.input, model.layers[1].output)
print(part.output_shape, len(part.weights))
