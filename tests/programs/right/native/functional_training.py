"""Training without variables: a tree of arrays, ps.grad, and a step written as a function."""

import numpy as np

import penstock as ps

rng = np.random.default_rng(0)
x = ps.asarray(rng.standard_normal((32, 3)).astype(np.float32))
y = ps.sum(x, axis=1)
params = {"w": ps.asarray(rng.standard_normal(3).astype(np.float32)), "b": ps.asarray(0.0)}


def loss(params, x, y):
    predicted = ps.matmul(x, params["w"]) + params["b"]
    scale = ps.stop_gradient(ps.sqrt(ps.mean((predicted - y) ** 2)))
    return ps.mean((predicted - y) ** 2) / (1.0 + scale)


slopes = ps.grad(loss)
for step in range(5):
    g = slopes(params, x, y)
    params = {name: value - 0.1 * g[name] for name, value in params.items()}
print(float(loss(params, x, y)))
