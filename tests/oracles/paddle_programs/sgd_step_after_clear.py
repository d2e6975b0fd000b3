"""A step after clear_grad: gradients are zeros, or none."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
(x * x).backward()
optimizer.step()
optimizer.clear_grad()
print(x.grad)
optimizer.step()
print(x.numpy())
optimizer.clear_grad(set_to_zero=False)
print(x.grad)
