"""An optimizer of one's own that keeps two sets of weights, alone and inside LossScaleOptimizer."""

import keras
import numpy as np
from keras import ops


class ScheduleFree(keras.optimizers.Optimizer):
    """Moves z, keeps the mean x of all z, and puts a mixture of both into the variable."""

    def __init__(self, learning_rate=0.1, beta=0.9, **options):
        super().__init__(learning_rate=learning_rate, **options)
        self.beta = beta

    def build(self, variables):
        """Makes both sets."""
        if not self.built:
            super().build(variables)
            self.z, self.x = self.add_optimizer_variables(variables, ["z", "x"])

    def update_step(self, gradient, variable, learning_rate):
        """Moves one variable."""
        place = self._get_variable_index(variable)
        z, x = self.z[place], self.x[place]
        first = ops.equal(self.iterations, 0)
        self.assign(z, ops.where(first, variable, z))
        self.assign(x, ops.where(first, variable, x))
        rate = ops.cast(learning_rate, variable.dtype)
        self.assign_sub(z, rate * ops.cast(gradient, variable.dtype))
        self.assign_add(x, (z - x) / ops.cast(self.iterations + 1, variable.dtype))
        self.assign(variable, self.beta * x + (1 - self.beta) * z)


def network():
    """Return a small model with the same weights each time."""
    keras.utils.set_random_seed(3)
    return keras.Sequential(
        [
            keras.Input((6,)),
            keras.layers.Dense(8, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(3, dtype="float32"),
        ]
    )


rng = np.random.default_rng(0)
inputs = rng.normal(size=(64, 6)).astype("float32")
targets = inputs[:, :3] * 2 + 1


def train(model, given=inputs, epochs=3):
    """Train without shuffling, and print the losses."""
    made = model.fit(given, targets, epochs=epochs, batch_size=16, verbose=0, shuffle=False)
    print(np.round(made.history["loss"], 2).tolist(), int(model.optimizer.iterations.numpy()))


for policy in ("float32", "mixed_float16"):
    keras.mixed_precision.set_global_policy(policy)
    for more in (
        {}, {"clipnorm": 0.5, "weight_decay": 0.01}, {"gradient_accumulation_steps": 2},
        {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 3},
    ):  # fmt: skip
        model, optimizer = network(), ScheduleFree(0.05, **more)
        model.compile(optimizer, "mse")
        train(model)
        print(type(model.optimizer).__name__, len(model.optimizer.variables), len(optimizer.variables))
        print([one.path.split("/")[-1] for one in optimizer.variables[:4]])
        print(np.round([float(np.abs(one.numpy()).sum()) for one in model.weights], 1).tolist())
model = network()
scaled = keras.optimizers.LossScaleOptimizer(
    ScheduleFree(0.05), initial_scale=2.0**14, dynamic_growth_steps=3
)
model.compile(scaled, "mse")
train(model)
print(float(scaled.dynamic_scale.numpy()), int(scaled.step_counter.numpy()))
inputs[20] = np.inf
train(model, inputs, 1)
print(float(scaled.dynamic_scale.numpy()), int(scaled.step_counter.numpy()))
keras.mixed_precision.set_global_policy("float32")
