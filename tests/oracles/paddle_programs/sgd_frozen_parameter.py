"""A tensor that stops gradients is left alone, in silence."""

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
y = paddle.to_tensor([1.0])
optimizer = paddle.optimizer.SGD(0.5, parameters=[x, y])
((x + y) ** 2).backward()
optimizer.step()
print(x.numpy(), y.numpy(), y.grad)
