import numpy as np
import tensorflow as tf

x = tf.keras.layers.Embedding(4, 2, mask_zero=True)(tf.constant([[1, 0]]))
print(tf.keras.layers.Flatten()(x).shape)
