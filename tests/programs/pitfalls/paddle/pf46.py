# PS107 b
import paddle
from paddle import nn

paddle.seed(0)

b = paddle.to_tensor([4.0, 5.0], stop_gradient=False)
column = paddle.reshape(b, [2, 1])
optimizer = paddle.optimizer.SGD(0.1, parameters=[b])
for _ in range(3):
    with paddle.no_grad():  # wrong
        column = paddle.reshape(b, [2, 1])  # wrong
    column = paddle.reshape(b, [2, 1])  # right
    loss = (column * column).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
