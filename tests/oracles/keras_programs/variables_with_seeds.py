"""The variables of layers, with the states of their generators of seeds, which are no weights."""

import keras
import numpy as np
from keras import layers


def show(layer, *inputs):
    """Print the last words of the paths, and how many weights there are."""
    layer(*inputs)
    words = [one.path.split("/")[-1] for one in layer.variables]
    print(type(layer).__name__, words, len(layer.weights), len(layer.non_trainable_variables))


x = np.ones((2, 4, 3), "float32")
for made in (
    layers.LSTM(2), layers.GRU(2, dropout=0.1), layers.Bidirectional(layers.LSTM(2)), layers.Dropout(0.1),
    layers.Dropout(0.0), layers.RNN(layers.LSTMCell(2)), layers.TimeDistributed(layers.Dropout(0.1)),
):  # fmt: skip
    show(made, x)
show(layers.MultiHeadAttention(2, 2, dropout=0.1), x, x)
show(layers.RandomFlip(), np.ones((1, 4, 4, 3), "float32"))
inner = keras.Sequential([layers.Dropout(0.3), layers.Dense(1)])
model = keras.Sequential([layers.Dense(2), layers.Dropout(0.1), layers.BatchNormalization(), inner])
show(model, x)
model.trainable = False
print(len(model.non_trainable_variables), len(model.trainable_variables), len(model.non_trainable_weights))
