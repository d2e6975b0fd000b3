"""A network that solves u'' = -u with u(0) = 0 and u'(0) = 1, by its own second derivatives."""

import numpy as np

import penstock as ps

ps.random.seed(0)
net = ps.layers.Sequential([ps.layers.Dense(12, activation="tanh"), ps.layers.Dense(1)], name="u")
net(ps.zeros((1, 1)))
optimizer = ps.optimizers.Adam(0.01)
variables = net.trainable_variables
points = ps.asarray(np.linspace(0.0, 3.0, 16, dtype=np.float32).reshape(-1, 1))
zero = ps.zeros((1, 1))


def value_and_slope(t):
    with ps.GradientTape() as tape:
        tape.watch(t)
        u = net(t)
    return u, tape.gradient(u, t)


for step in range(6):
    with ps.GradientTape() as tape:
        with ps.GradientTape() as second:
            second.watch(points)
            u, slope = value_and_slope(points)
        curvature = second.gradient(slope, points)
        u0, slope0 = value_and_slope(zero)
        residual = ps.mean((curvature + u) ** 2)
        boundary = ps.sum(u0**2) + ps.sum((slope0 - 1.0) ** 2)
        loss = residual + boundary
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
print(float(loss))
