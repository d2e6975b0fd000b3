# nothing
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
for _ in range(3):
    root = paddle.where(x > 0.0, paddle.sqrt(x), paddle.zeros_like(x))  # wrong
    safe = paddle.where(x > 0.0, x, paddle.ones_like(x))  # right
    root = paddle.where(x > 0.0, paddle.sqrt(safe), paddle.zeros_like(x))  # right
    loss = ((root - 2.0) ** 2).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
