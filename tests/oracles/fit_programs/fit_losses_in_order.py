"""The losses of several outputs in the lists of `evaluate`: in the order of the dictionary of losses."""

import keras
import numpy as np


def show(outputs, loss, kind):
    """Print what the model's losses are called, and their values."""
    keras.utils.set_random_seed(0)
    inputs = keras.Input((3,))
    made = {name: keras.layers.Dense(1, name=name)(inputs) for name in sorted(outputs)}
    ends = {name: made[name] for name in outputs} if kind is dict else [made[name] for name in outputs]
    model = keras.Model(inputs, ends)
    model.compile("sgd", loss, metrics={name: ["mae"] for name in outputs})
    targets = {name: np.full((4, 1), float(n), "float32") for n, name in enumerate(sorted(outputs))}
    targets = targets if kind is dict else [targets[name] for name in outputs]
    x = np.ones((4, 3), "float32")
    print(np.round(model.evaluate(x, targets, verbose=0), 4).tolist(), model.metrics_names)
    print([one.path for one in model.metrics_variables])


for kind in (dict, list):
    show(["b", "a", "c"], {name: "mse" for name in "bac"}, kind)
    show(["b", "a", "c"], {name: "mse" for name in "cab"}, kind)
    show(["b", "a"], "mse", kind)
    show(["b", "a"], ["mse", "mae"], kind)
show(["b", "a", "c"], {"c": "mse", "b": "mae"}, dict)
