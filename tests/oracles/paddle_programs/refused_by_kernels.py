"""Arguments that Paddle's kernels refuse, and a gradient that they take by other statistics than the result."""

import numpy as np
import paddle


def raised(function):
    try:
        return list(function().shape)
    except ValueError:
        return "ValueError"


x = paddle.to_tensor(np.linspace(-1.0, 1.0, 24, dtype="float32").reshape(4, 2, 3))
for epsilon in (0.0, 1e-3, 1.1e-3, 1e-2, -1e-3):
    print(epsilon, raised(lambda e=epsilon: paddle.nn.LayerNorm(3, epsilon=e)(x)))
    print(epsilon, raised(lambda e=epsilon: paddle.nn.functional.layer_norm(x, [2, 3], epsilon=e)))
print(raised(lambda: paddle.nn.GroupNorm(1, 2, epsilon=1e-2)(x)))
print(raised(lambda: paddle.nn.BatchNorm1D(2, epsilon=1e-2)(x)))
print(raised(lambda: x[..., ...]), raised(lambda: x[..., 0, ...]), raised(lambda: x[..., 0]))


def written():
    y = x * 1.0
    y[..., ...] = 0.0
    return y


print(raised(written))

for data_format in ("NCHW", "NHWC"):
    for given, training in ((False, False), (None, False), (False, True), (True, True)):
        layer = paddle.nn.BatchNorm2D(2, use_global_stats=given, data_format=data_format)
        layer._mean.set_value(paddle.to_tensor([0.5, -0.3]))
        layer._variance.set_value(paddle.to_tensor([2.0, 0.7]))
        layer.weight.set_value(paddle.to_tensor([1.5, 0.6]))
        layer.training = training
        draw = np.random.RandomState(0)
        images = paddle.to_tensor(draw.randn(2, 2, 2, 2).astype("float32"), stop_gradient=False)
        weights = paddle.to_tensor(draw.randn(2, 2, 2, 2).astype("float32"))
        found = layer(images)
        (found * weights).sum().backward()
        print(data_format, given, training)
        for one in (found, images.grad, layer.weight.grad, layer.bias.grad, layer._mean, layer._variance):
            print(" ", one.numpy().astype("float64").round(3).tolist())
