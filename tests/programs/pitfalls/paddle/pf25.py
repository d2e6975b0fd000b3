# PS110 w
import paddle
from paddle import nn

paddle.seed(0)

w = paddle.to_tensor([1.0, 2.0])  # wrong
w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)  # right
b = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[w, b])
for _ in range(3):
    loss = ((w * b - 3.0) ** 2).sum()
    loss.backward()  # here
    optimizer.step()  # here
    optimizer.clear_grad()
