import os
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
folder = tempfile.mkdtemp()


def fill(model):
    model.set_weights([np.abs(np.cos(np.arange(w.size) + 1.0)).reshape(w.shape) / 2 for w in model.get_weights()])


class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = [keras.layers.Dense(3), {"a": keras.layers.Dense(2)}]
        self._last = keras.layers.Dense(2)
        self.scale = self.add_weight(shape=(2,), initializer="ones", name="scale")

    def call(self, x):
        return self._last(self.inner[1]["a"](self.inner[0](x))) * self.scale


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(4, "relu")
        self.blocks = [Block(), Block()]
        self.zoom = keras.layers.BatchNormalization()
        self.mean = keras.metrics.Mean()

    def call(self, x):
        x = self.zoom(self.first(x))
        return self.blocks[0](x) + self.blocks[1](x)


def paths(path):
    import h5py

    with h5py.File(path) as file:
        found = []
        file.visititems(lambda name, one: found.append((name, one.shape)) if hasattr(one, "shape") else None)
    for one in sorted(found):
        print(one)


x = np.sin(np.arange(12.0)).reshape(3, 4).astype("float32")
net = Net()
net(x)
fill(net)
place = os.path.join(folder, "net.weights.h5")
net.save_weights(place)
paths(place)
other = Net()
other(x)
other.load_weights(place)
print(np.round(other(x).numpy(), 5).tolist() == np.round(net(x).numpy(), 5).tolist())
row = keras.Sequential([
    keras.Input((5, 3)),
    keras.layers.Conv1D(4, 2), keras.layers.Bidirectional(keras.layers.LSTM(2, return_sequences=True)),
    keras.layers.TimeDistributed(keras.layers.Dense(2)), keras.layers.GRU(2), keras.layers.Dense(1),
])
row.compile(keras.optimizers.Adam(0.1), "mse")
row.fit(np.ones((2, 5, 3)), np.ones((2, 1)), verbose=0)
row.save_weights(os.path.join(folder, "row.weights.h5"))
paths(os.path.join(folder, "row.weights.h5"))
for wrong in ("net.h5", "net"):
    try:
        net.save_weights(os.path.join(folder, wrong))
    except ValueError as error:
        print(str(error).replace(folder, "")[:60])
try:
    Net().load_weights(place)
except ValueError as error:
    print(str(error)[:110])
try:
    keras.Sequential([keras.layers.Dense(2)]).save_weights(place)
except ValueError as error:
    print(str(error)[:110])
