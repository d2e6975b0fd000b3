"""Weights that are computed before each call: by their norm, or their largest singular value."""

import numpy as np
import paddle
from paddle.nn.utils import remove_weight_norm, spectral_norm, weight_norm

rng = np.random.default_rng(0)
for layer, shape, dim in (
    (paddle.nn.Linear(3, 4), (5, 3), 0),
    (paddle.nn.Linear(3, 4), (5, 3), 1),
    (paddle.nn.Linear(3, 4), (5, 3), None),
    (paddle.nn.Conv2D(2, 3, 3), (1, 2, 5, 5), 0),
):
    layer.weight.set_value(rng.normal(size=layer.weight.shape).astype("float32"))
    weight_norm(layer, dim=dim)
    print(sorted(name for name, _ in layer.named_parameters()), list(layer.weight_g.shape))
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    x = paddle.to_tensor(rng.normal(size=shape).astype("float32"))
    for _ in range(2):
        loss = (layer(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print(round(float(loss), 4), np.round(layer.weight_g.numpy().ravel()[:3], 4).tolist())
    remove_weight_norm(layer)
    print(sorted(name for name, _ in layer.named_parameters()), round(float((layer(x) ** 2).mean()), 4))
for layer in (paddle.nn.Linear(3, 4), paddle.nn.Conv2D(2, 3, 3)):
    layer.weight.set_value(rng.normal(size=layer.weight.shape).astype("float32"))
    spectral_norm(layer, n_power_iterations=60)
    x = paddle.to_tensor(
        rng.normal(size=(4, 3) if "Linear" in type(layer).__name__ else (1, 2, 4, 4)).astype("float32")
    )
    loss = (layer(x) ** 2).sum()
    loss.backward()
    print(sorted(name for name, _ in layer.named_parameters()), round(float(loss), 3))
    print(np.round(layer.weight_orig.grad.numpy().ravel()[:4], 3).tolist())
matrix = paddle.to_tensor(rng.normal(size=(2, 5, 3)).astype("float32"))
print(np.round(paddle.nn.SpectralNorm([2, 5, 3], 1, 60)(matrix).numpy()[0, 0], 4).tolist())
