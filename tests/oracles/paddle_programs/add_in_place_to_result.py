"""A result changed in place keeps its history."""

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y = x * 3
y.add_(x)
y.sum().backward()
print(y, x.grad)
