"""Where the variables of layers and optimizers are in a file of weights, and what is read back."""

import os
import tempfile

import h5py
import keras
import numpy as np
from keras import layers

x = np.linspace(-1, 1, 4 * 6 * 5).reshape(4, 6, 5).astype("float32")
y = np.ones((4, 2), "float32")


class VGG16(layers.Dense):
    """A layer whose class has a digit after capital letters."""


def network():
    """Return a model of nested models and recurrent layers."""
    first = keras.Sequential([keras.Input((5,)), layers.Dense(4), layers.BatchNormalization()])
    middle = keras.Input((4,))
    deep = keras.Sequential([layers.Dense(3), layers.PReLU()])
    second = keras.Model(middle, deep(middle))
    inputs = keras.Input((6, 5))
    a = layers.GlobalMaxPooling1D()(layers.TimeDistributed(first)(inputs))
    b = layers.Bidirectional(layers.LSTM(2, return_sequences=True))(inputs)
    b = layers.RNN([layers.LSTMCell(2), layers.GRUCell(2)], return_sequences=True)(b)
    b = layers.GroupQueryAttention(2, 2, 1)(b, b)
    b = layers.Flatten()(layers.ConvLSTM1D(2, 1)(layers.Reshape((6, 2, 1))(b)))
    return keras.Model(inputs, VGG16(2)(layers.Concatenate()([second(a), b])))


with tempfile.TemporaryDirectory() as folder:
    for number, optimizer in enumerate(
        (
            keras.optimizers.Nadam(0.01, use_ema=True), keras.optimizers.Adafactor(0.01),
        )
    ):  # fmt: skip
        keras.utils.set_random_seed(1)
        model = network()
        model.compile(optimizer, "mse")
        model.train_on_batch(x, y)
        path = os.path.join(folder, f"{number}.weights.h5")
        model.save_weights(path)
        places = []
        with h5py.File(path) as file:
            file.visititems(lambda name, one: places.append((name, one)) if hasattr(one, "shape") else None)
            places = [f"{name} {one.shape}" for name, one in places]
        print([one for one in places if number == 0 or one.startswith("optimizer")])
        losses = [float(model.train_on_batch(x, y)) for _ in range(2)]
        keras.utils.set_random_seed(2)
        other = network()
        other.compile(type(optimizer).from_config(optimizer.get_config()), "mse")
        other.optimizer.build(other.trainable_variables)
        other.load_weights(path)
        print(np.abs(np.array(losses) - [float(other.train_on_batch(x, y)) for _ in range(2)]).max() < 1e-6)
        model.save(os.path.join(folder, "model.keras"))
        known = {"VGG16": VGG16}
        other = keras.models.load_model(os.path.join(folder, "model.keras"), custom_objects=known)
        print(np.abs(model.predict(x, verbose=0) - other.predict(x, verbose=0)).max() < 1e-6)
        pairs = zip(model.optimizer.variables, other.optimizer.variables, strict=True)
        print(all(np.array_equal(np.asarray(one), np.asarray(two)) for one, two in pairs))
