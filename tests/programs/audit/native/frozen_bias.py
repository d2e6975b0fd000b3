"""A linear layer whose bias is frozen; the list asks each variable."""

import numpy as np
import penstock as ps

draw = np.random.default_rng(9)
bias = ps.Variable(np.zeros(1, "float32"), trainable=False, name="linear/bias")
kernel = ps.Variable(draw.standard_normal((10, 1)).astype("float32"), trainable=True, name="linear/kernel")
points = ps.asarray(draw.standard_normal((50, 10)).astype("float32"))
wanted = ps.sum(points, axis=1, keepdims=True)
variables = [variable for variable in (kernel, bias) if variable.trainable]
descent = ps.optimizers.SGD(0.1)


def linear(x):
    return x @ kernel + bias


for turn in range(100):
    with ps.GradientTape() as tape:
        cost = ps.mean(ps.square(linear(points) - wanted))
    descent.apply_gradients(zip(tape.gradient(cost, variables), variables))
print(f"cost {cost.numpy():.4f}, bias {bias.numpy()[0]:.1f}, kernel {kernel.numpy().mean():.2f}")
