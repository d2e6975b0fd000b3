import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


try:
    tf.keras.losses.MeanSquaredError(reduction="average")
except ValueError as error:
    # Keras lists the words in no order.
    print(str(error).partition(".")[0], "reduction=average" in str(error))
