"""Sharpness-aware minimization: up along the slope, the gradient there, back, and the step."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
x = ps.asarray(rng.standard_normal((32, 3)).astype(np.float32))
y = ps.sum(x, axis=1, keepdims=True)
net = ps.layers.Sequential([ps.layers.Dense(4, activation="tanh"), ps.layers.Dense(1)])
net(x)
variables = net.trainable_variables
optimizer = ps.optimizers.SGD(0.05, momentum=0.9)


def slopes():
    with ps.GradientTape() as tape:
        loss = ps.mean((net(x) - y) ** 2)
    return loss, tape.gradient(loss, variables)


for step in range(6):
    loss, grads = slopes()
    size = ps.sqrt(sum(ps.sum(g * g) for g in grads))
    climbs = [0.05 * g / size for g in grads]
    for v, e in zip(variables, climbs):
        v.assign_add(e)
    _, grads = slopes()
    for v, e in zip(variables, climbs):
        v.assign_sub(e)
    optimizer.apply_gradients(zip(grads, variables))
print(float(loss))
