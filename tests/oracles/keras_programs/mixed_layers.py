"""Layers of mixed precision: halves come out, float32 is kept, and normalising is done in float32."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")
image = np.linspace(-2, 2, 2 * 4 * 4 * 3).astype("float32").reshape(2, 4, 4, 3)
rows = image[:, 0]
half = keras.initializers.Constant(0.25)


def show(layer, *inputs, **options):
    with tf.GradientTape() as tape:
        y = layer(*inputs, **options)
        loss = tf.reduce_sum(tf.cast(y, tf.float32) ** 2)
    gradients = tape.gradient(loss, layer.trainable_variables)
    print(type(layer).__name__, y.dtype.name, [v.dtype for v in layer.trainable_variables])
    print([round(float(n), 1) for n in np.asarray(tf.cast(y, tf.float32)).ravel()[:6]])
    for one in gradients:
        dense = tf.convert_to_tensor(one)
        print(dense.dtype.name, [round(float(n), 0) + 0.0 for n in np.asarray(dense, "float32").ravel()[:4]])


show(keras.layers.Dense(2, activation="relu", kernel_initializer=half), rows)
show(keras.layers.Conv2D(2, 3, kernel_initializer=half), image)
show(keras.layers.BatchNormalization(), image * 100, training=True)
show(keras.layers.LayerNormalization(), image * 100)
show(keras.layers.GroupNormalization(3), image * 100)
show(keras.layers.RMSNormalization(), image * 100)
show(keras.layers.Embedding(5, 2, embeddings_initializer=half), np.array([[1, 3, 1]]))
show(keras.layers.LSTM(2, kernel_initializer=half, recurrent_initializer=half), rows)
show(keras.layers.AveragePooling2D(2), image)
keras.mixed_precision.set_global_policy("float32")
