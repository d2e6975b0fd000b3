"""Pooling: windows, strides, padding that counts or does not, and windows that reach beyond the end."""

import numpy as np
import paddle
import paddle.nn.functional as F


def filled(*shape):
    count = int(np.prod(shape))
    return paddle.to_tensor(
        np.cos(np.arange(count, dtype="float32") * 0.7).reshape(shape), stop_gradient=False
    )


def show(name, y, x):
    weights = paddle.to_tensor(np.sin(np.arange(int(np.prod(y.shape)), dtype="float32")).reshape(y.shape))
    (y * weights).sum().backward()
    print(name, y.shape, np.round(y.numpy().astype("float64"), 3).ravel()[:8].tolist())
    print("  ", np.round(x.grad.numpy().astype("float64"), 3).ravel()[:8].tolist())


for options in (
    {"kernel_size": 2},
    {"kernel_size": [3, 2], "stride": 2, "padding": 1},
    {"kernel_size": 3, "stride": 2, "padding": [1, 0], "ceil_mode": True},
    {"kernel_size": 2, "stride": 2, "ceil_mode": True},
    {"kernel_size": 3, "stride": 1, "padding": "SAME"},
):
    x = filled(2, 2, 7, 5)
    show(f"max_pool2d {options}", F.max_pool2d(x, **options), x)
    x = filled(2, 2, 7, 5)
    show(f"avg_pool2d {options}", F.avg_pool2d(x, **options), x)
for options in ({"exclusive": False, "padding": 1}, {"divisor_override": 3, "padding": 1}):
    x = filled(1, 2, 6, 6)
    show(f"avg_pool2d {options}", F.avg_pool2d(x, 3, 2, **options), x)
x = filled(1, 5, 4, 2)
show("max_pool2d NHWC", F.max_pool2d(x, 2, data_format="NHWC"), x)
x = filled(2, 2, 7)
show("max_pool1d", F.max_pool1d(x, 3, 2, padding=1), x)
x = filled(2, 2, 7)
show("avg_pool1d", F.avg_pool1d(x, 2), x)
for size in (1, [3, 2], [None, 2]):
    x = filled(1, 2, 7, 5)
    show(f"adaptive_avg_pool2d {size}", F.adaptive_avg_pool2d(x, size), x)
x = filled(1, 2, 7)
show("adaptive_avg_pool1d", F.adaptive_avg_pool1d(x, 3), x)
equal = paddle.ones([1, 1, 2, 2])
equal.stop_gradient = False
F.max_pool2d(equal, 2).backward()
print(equal.grad.numpy().tolist())
