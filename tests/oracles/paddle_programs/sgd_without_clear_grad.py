"""Forgotten clear_grad: gradients add up."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
for _ in range(3):
    (x * x).backward()
    optimizer.step()
    print(x.item(), x.grad.item())
