import numpy as np
import tensorflow as tf

layers = tf.keras.layers
embedded = layers.Embedding(9, 2, mask_zero=True)(np.array([[3, 1, 0], [2, 0, 0]]))
print(embedded._keras_mask)
passed = layers.Masking()(np.array([[[1.0, 2.0], [0.0, 0.0]]], "float32"))
print(passed._keras_mask)
print(hasattr(layers.Embedding(9, 2)(np.array([[3, 1, 0]])), "_keras_mask"))
plain = tf.constant([[[1.0], [2.0], [4.0]]])
plain._keras_mask = tf.constant([[True, False, True]])
print(layers.GlobalAveragePooling1D()(plain))
