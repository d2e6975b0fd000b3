"""Decay is added to the gradient."""

import paddle

x = paddle.to_tensor([4.0, -2.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[x], weight_decay=0.5)
for _ in range(3):
    (x * paddle.to_tensor([1.0, 3.0])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    print(x.numpy().round(5).tolist())
