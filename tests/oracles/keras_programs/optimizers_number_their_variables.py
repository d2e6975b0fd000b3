"""The variables of optimizers in order: averages, accumulators of gradients, and the state of the rule."""

import keras
import numpy as np

for name, options in (
    ("Adam", {"amsgrad": True}), ("RMSprop", {"momentum": 0.9, "centered": True}), ("SGD", {"momentum": 0.9}),
    ("Ftrl", {}), ("Muon", {}), ("Adadelta", {}),
):  # fmt: skip
    for more in ({}, {"use_ema": True, "gradient_accumulation_steps": 2}):
        variables = [keras.Variable(np.ones((2, 3)), name="a"), keras.Variable(np.ones((3,)), name="b")]
        optimizer = getattr(keras.optimizers, name)(**options, **more)
        optimizer.build(variables)
        print(name, [one.path.split("/")[-1] for one in optimizer.variables])
variables = [keras.Variable(np.ones((2, 3)), name="a"), keras.Variable(np.ones((3,)), name="b")]
optimizer = keras.optimizers.Nadam(0.1)
optimizer.build(variables)
print([tuple(one.shape) for one in optimizer.variables])
optimizer.apply([np.ones((2, 3)), np.ones((3,))])
values = [one.numpy() for one in optimizer.variables]
other = keras.optimizers.Nadam(0.1)
other.build(variables)
other.set_weights(values)
other.apply([np.ones((2, 3)), np.ones((3,))])
every = (*variables, *other.variables)
print([np.round(np.asarray(one).ravel()[:1].astype(float), 4).tolist() for one in every])
