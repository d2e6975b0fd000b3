"""Convolutions of one to three axes: values and gradients, by numbers that are written down."""

import numpy as np
import paddle
import paddle.nn.functional as F


def filled(*shape):
    count = int(np.prod(shape))
    return paddle.to_tensor(
        np.cos(np.arange(count, dtype="float32") * 0.7).reshape(shape), stop_gradient=False
    )


def show(name, y, *leaves):
    weights = paddle.to_tensor(np.sin(np.arange(int(np.prod(y.shape)), dtype="float32")).reshape(y.shape))
    (y * weights).sum().backward()
    print(name, y.shape, np.round(y.numpy().astype("float64"), 3).ravel()[:6].tolist())
    for leaf in leaves:
        print("  ", leaf.grad.shape, np.round(leaf.grad.numpy().astype("float64"), 3).ravel()[:6].tolist())


cases = [
    ((2, 3, 6, 5), (4, 3, 3, 2), {}),
    ((2, 4, 6, 5), (6, 2, 3, 2), {"stride": 2, "padding": 1, "groups": 2}),
    ((1, 2, 7, 6), (3, 2, 3, 3), {"stride": [2, 1], "padding": [1, 2], "dilation": [1, 2]}),
    ((1, 2, 5, 6), (3, 2, 2, 3), {"padding": [0, 1, 2, 1]}),
    ((1, 2, 5, 6), (3, 2, 2, 3), {"padding": [[0, 0], [0, 0], [1, 0], [0, 2]]}),
    ((1, 2, 7, 6), (3, 2, 3, 3), {"padding": "SAME", "stride": 2}),
    ((1, 2, 7, 6), (3, 2, 3, 3), {"padding": "VALID"}),
    ((1, 5, 4, 2), (3, 2, 2, 2), {"data_format": "NHWC", "padding": 1}),
]
for shape, kernel, options in cases:
    x, w, b = filled(*shape), filled(*kernel), filled(kernel[0])
    show(f"conv2d {options}", F.conv2d(x, w, b, **options), x, w, b)

x, w = filled(2, 2, 7), filled(3, 2, 3)
show("conv1d", F.conv1d(x, w, stride=2, padding=1), x, w)
x, w = filled(1, 2, 3, 4, 3), filled(2, 2, 2, 2, 2)
show("conv3d", F.conv3d(x, w, padding=1, stride=2), x, w)

cases = [
    ((2, 3, 3, 4), (3, 2, 3, 2), {}),
    ((2, 3, 3, 4), (3, 2, 3, 2), {"stride": 2, "padding": 1}),
    ((2, 3, 3, 4), (3, 2, 3, 2), {"stride": [2, 3], "output_padding": [1, 0]}),
    ((2, 4, 3, 4), (4, 2, 3, 3), {"groups": 2, "stride": 2, "padding": 1, "dilation": 2}),
    ((1, 2, 3, 3), (2, 2, 3, 3), {"stride": 2, "output_size": [8, 8]}),
    ((1, 3, 4, 2), (2, 3, 2, 2), {"stride": 2, "data_format": "NHWC"}),
]
for shape, kernel, options in cases:
    x, w, b = filled(*shape), filled(*kernel), filled(kernel[1] * options.get("groups", 1))
    show(f"conv2d_transpose {options}", F.conv2d_transpose(x, w, b, **options), x, w, b)
x, w = filled(1, 2, 3), filled(2, 3, 3)
show("conv1d_transpose", F.conv1d_transpose(x, w, stride=2, padding=1, output_padding=1), x, w)
