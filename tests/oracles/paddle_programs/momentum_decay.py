"""Momentum with weight decay."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
optimizer = paddle.optimizer.Momentum(0.1, parameters=[x], weight_decay=paddle.regularizer.L2Decay(0.1))
for _ in range(5):
    (x * x).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
print(round(x.item(), 5))
