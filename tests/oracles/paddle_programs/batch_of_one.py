"""Batch normalization of one element per channel: it passes, and the statistics stay."""

import warnings

import numpy as np

import paddle

warnings.simplefilter("ignore")
nn = paddle.nn
for layer, shape in (
    (nn.BatchNorm1D(3), [1, 3]),
    (nn.BatchNorm1D(3), [1, 3, 1]),
    (nn.BatchNorm2D(3), [1, 3, 1, 1]),
    (nn.BatchNorm2D(3, data_format="NHWC"), [1, 1, 1, 3]),
    (nn.BatchNorm(3), [1, 3]),
    (nn.BatchNorm1D(3, weight_attr=False, bias_attr=False), [1, 3]),
    (nn.BatchNorm1D(3), [2, 3]),
):
    if layer.weight is not None and not layer.weight.stop_gradient:
        layer.weight.set_value(np.array([2.0, 3.0, 4.0], "float32"))
        layer.bias.set_value(np.array([0.5, 0.5, 0.5], "float32"))
    numbers = np.arange(int(np.prod(shape)), dtype="float32").reshape(shape) ** 2 + 1
    x = paddle.to_tensor(numbers, stop_gradient=False)
    y = layer(x)
    (y * x).sum().backward()
    print(type(layer).__name__, shape, y.numpy().ravel().round(3).tolist())
    print(x.grad.numpy().ravel().round(3).tolist(), layer._mean.numpy().round(4).tolist())
    print(layer._variance.numpy().round(4).tolist())
    for one in (layer.weight, layer.bias):
        print(None if one is None or one.grad is None else one.grad.numpy().round(3).tolist())
    layer.eval()
    print(layer(x).numpy().ravel().round(3).tolist())
