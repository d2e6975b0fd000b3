"""A result keeps its gradient only on request."""

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
y = x * 3
(y * y).backward()
print(y.grad, x.grad)
x.clear_grad()
y = x * 3
y.retain_grads()
(y * y).backward()
print(y.grad, x.grad)
