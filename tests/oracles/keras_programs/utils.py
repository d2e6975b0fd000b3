import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


print(tf.keras.utils.to_categorical([0, 2, 1]).tolist(), tf.keras.utils.to_categorical([[1], [0]], 3).shape)
print(tf.keras.utils.pad_sequences([[1], [2, 3], [4, 5, 6]], maxlen=2).tolist())
print(tf.keras.utils.pad_sequences([[1], [2, 3]], padding="post", value=9).tolist())
print(tf.keras.backend.epsilon(), tf.keras.backend.floatx(), tf.keras.backend.image_data_format())
