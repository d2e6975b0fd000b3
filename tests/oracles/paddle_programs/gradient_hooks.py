"""Hooks on gradients, of leaves and of results."""

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
handle = x.register_hook(lambda gradient: gradient * 10)
(x * x).backward()
print(x.grad.item())
handle.remove()
x.clear_grad()
y = x * 3
y.register_hook(lambda gradient: gradient + 1)
(y * 2 + x).backward()
print(x.grad.item())
