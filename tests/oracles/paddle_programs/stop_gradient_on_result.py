"""A result can be told to stop gradients."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
y = x * 2
y.stop_gradient = True
z = y * x
z.backward()
print(y.stop_gradient, x.grad.item())
