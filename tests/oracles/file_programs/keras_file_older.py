import json
import os
import tempfile
import warnings

import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
warnings.simplefilter("ignore")
folder = tempfile.mkdtemp()


def fill(model):
    model.set_weights([np.abs(np.cos(np.arange(w.size) + 1.0)).reshape(w.shape) / 2 for w in model.get_weights()])


def inside(path):
    import h5py

    with h5py.File(path) as file:
        found = []
        file.visititems(lambda name, one: found.append((name, one.shape)) if hasattr(one, "shape") else None)
        print(json.loads(file.attrs["model_config"])["class_name"], sorted(file.attrs), list(file))
        for name in file["model_weights"].attrs["layer_names"]:
            print(name, list(file["model_weights"][name].attrs["weight_names"]))
    for one in sorted(found):
        print(one)


x = np.sin(np.arange(12.0)).reshape(3, 4).astype("float32")
row = keras.Sequential([keras.Input((4,)), layers.Dense(3, "relu"), layers.BatchNormalization(), layers.Dense(2)])
fill(row)
path = os.path.join(folder, "row.h5")
row.compile(keras.optimizers.Adam(0.1), keras.losses.MeanSquaredError())
row.fit(x, np.ones((3, 2)), verbose=0)
row.save(path)
inside(path)
other = keras.models.load_model(path)
print(np.round(other(x) - row(x), 5).tolist(), int(other.optimizer.iterations), other.optimizer.learning_rate.numpy())
row.save(path, include_optimizer=False)
print(keras.models.load_model(path, compile=False).summary())

late = keras.Sequential([layers.Dense(3), layers.Dense(1)])
late.compile("adam", keras.losses.MeanSquaredError())
late.fit(x, np.ones((3, 1)), verbose=0)
late.save(os.path.join(folder, "late.h5"))
again = keras.models.load_model(os.path.join(folder, "late.h5"))
print(np.round(again(x) - late(x), 5).tolist(), type(again.optimizer).__name__, again.layers[0].name)

entry = keras.Input((4,), name="entry")
left, right = layers.Dense(3, name="left")(entry), layers.Dense(3, name="right")(entry)
branches = keras.Model(entry, layers.Dense(1, name="last")(layers.Concatenate()([left, right])))
fill(branches)
place = os.path.join(folder, "branches.h5")
branches.save(place)
inside(place)
print(np.round(keras.models.load_model(place)(x), 4).tolist())
named = keras.Sequential([keras.Input((4,)), layers.Dense(3, name="right"), layers.Dense(1, name="new")])
before = named.layers[1].get_weights()
named.load_weights(place, by_name=True)
print(np.round(named.layers[0].get_weights()[0] - branches.get_layer("right").get_weights()[0], 4).sum())
print((named.layers[1].get_weights()[0] == before[0]).all())
twin = keras.Sequential([keras.Input((4,)), layers.Dense(3), layers.BatchNormalization(), layers.Dense(2)])
twin.load_weights(path)
print([np.abs(a - b).max() for a, b in zip(twin.get_weights(), row.get_weights(), strict=True)])
for wrong in (branches, keras.Sequential([keras.Input((4,)), layers.Dense(3), layers.BatchNormalization(),
                                          layers.Dense(1)])):
    try:
        wrong.load_weights(path)
    except ValueError as error:
        print(type(error).__name__ in ("ValueError", "CheckpointError"))
