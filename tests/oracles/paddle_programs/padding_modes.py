"""Convolutions around whose input entries are put: reflected, repeated or from the other side."""

import paddle

nn = paddle.nn


def shown(kind, rank, mode, **options):
    weights = nn.initializer.Assign(paddle.arange(1.0, 3.0**rank + 1.0).reshape([1, 1] + [3] * rank))
    layer = kind(1, 1, 3, padding=1, padding_mode=mode, weight_attr=weights, **options)
    print(layer)
    x = paddle.arange(4.0**rank).reshape([1, 1] + [4] * rank)
    if "data_format" in options:
        x = x.reshape([1] + [4] * rank + [1])
    x.stop_gradient = False
    y = layer(x)
    y.sum().backward()
    print(y.flatten()[:6].tolist(), x.grad.flatten()[:6].tolist())


for mode in ("zeros", "reflect", "replicate", "circular"):
    shown(nn.Conv1D, 1, mode, stride=2)
    shown(nn.Conv2D, 2, mode)
    shown(nn.Conv2D, 2, mode, data_format="NHWC")
    shown(nn.Conv3D, 3, mode, bias_attr=False)
for options in ({"padding_mode": "mirror"}, {"padding_mode": "reflect", "padding": [1, 1]}):
    try:
        nn.Conv2D(1, 1, 3, **options)
    except (TypeError, ValueError) as error:
        print(isinstance(error, ValueError))
