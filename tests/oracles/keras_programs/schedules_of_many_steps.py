import os
import tempfile

import numpy as np
import tensorflow as tf

schedules = tf.keras.optimizers.schedules
for schedule in (
    schedules.InverseTimeDecay(0.001, decay_steps=100, decay_rate=1, staircase=False),
    schedules.ExponentialDecay(0.1, 10, 0.5, staircase=True),
    schedules.ExponentialDecay(0.1, 10, 0.5),
    schedules.PolynomialDecay(0.1, 10),
    schedules.PolynomialDecay(0.1, 10, cycle=True, power=0.5),
    schedules.CosineDecay(0.1, 10, alpha=0.5),
    schedules.CosineDecayRestarts(0.1, 5),
    schedules.PiecewiseConstantDecay([5, 10], [1.0, 0.5, 0.1]),
):
    for steps in (np.linspace(0, 20, 5), tf.range(4), tf.constant([1.0, 2.5]), 2.5, tf.constant(3), 7):
        print(schedule(steps))
print(schedules.CosineDecay(0.0, 10, warmup_target=0.1, warmup_steps=3)(2.5))

# A model with a table of rows comes back from its file.
layers = tf.keras.layers
model = tf.keras.Sequential([layers.Embedding(5, 3, mask_zero=True), layers.GlobalAveragePooling1D(), layers.Dense(1)])
numbers = tf.constant([[1, 2, 0]])
before = model(numbers)
path = os.path.join(tempfile.mkdtemp(), "model.keras")
model.save(path)
print(np.allclose(tf.keras.models.load_model(path)(numbers), before))
print([layers.Embedding(5, 3).get_config()[name] for name in ("input_dim", "output_dim", "mask_zero")])
