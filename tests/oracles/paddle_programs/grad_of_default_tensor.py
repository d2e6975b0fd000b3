"""paddle.grad by a tensor that was left at its default."""

import paddle


def distance(a, b):
    return (a - 2.0) ** 2 + (b - 3.0) ** 2


x = paddle.to_tensor(0.0, stop_gradient=False)
y = paddle.to_tensor(1.0)
y = y - 0.1 * paddle.grad(distance(x, y), y)[0]
