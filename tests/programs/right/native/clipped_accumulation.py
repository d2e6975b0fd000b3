"""Gradients of four small batches, averaged, clipped by their norm, applied with a rate that warms up."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
net = ps.layers.Sequential([ps.layers.Dense(8, activation="gelu"), ps.layers.Dense(1)], name="net")
net(ps.zeros((1, 3)))
variables = net.trainable_variables
optimizer = ps.optimizers.SGD(0.0, momentum=0.9)
history = []
for step in range(6):
    optimizer.learning_rate = 0.1 * min(1.0, step / 3)
    sums = [ps.zeros(v.shape) for v in variables]
    for part in range(4):
        x = ps.asarray(rng.standard_normal((8, 3)).astype(np.float32))
        with ps.GradientTape() as tape:
            loss = ps.mean((net(x) - ps.sum(x, axis=1, keepdims=True)) ** 2) / 4
        sums = [s + g for s, g in zip(sums, tape.gradient(loss, variables))]
        history.append(float(loss))
    norm = ps.sqrt(sum(ps.sum(g * g) for g in sums))
    factor = ps.minimum(1.0, 1.0 / (norm + 1e-6))
    optimizer.apply_gradients(zip([g * factor for g in sums], variables))
print(history[-1])
