"""Learning rates tried one after another, then a model for each part of the data."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
x = rng.standard_normal((24, 2)).astype(np.float32)
y = (x[:, :1] - x[:, 1:]).astype(np.float32)


def train(net, optimizer, rows, steps):
    for _ in range(steps):
        with ps.GradientTape() as tape:
            loss = ps.mean((net(ps.asarray(x[rows])) - ps.asarray(y[rows])) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
    return float(loss)


net = ps.layers.Dense(1, name="swept")
net(ps.asarray(x))
start = [v.numpy() for v in net.variables]
results = {}
for rate in (0.3, 0.1, 0.03):
    for v, value in zip(net.variables, start):
        v.assign(value)
    results[rate] = train(net, ps.optimizers.Adam(rate), slice(None), 3)
rate = min(results, key=results.get)
scores = []
for fold in range(3):
    held = np.arange(24) % 3 == fold
    model = ps.layers.Dense(1)
    model(ps.asarray(x))
    train(model, ps.optimizers.Adam(rate), ~held, 3)
    scores.append(float(ps.mean((model(ps.asarray(x[held])) - ps.asarray(y[held])) ** 2)))
print(rate, np.mean(scores))
