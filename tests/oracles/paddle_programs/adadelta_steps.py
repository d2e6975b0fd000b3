"""Adadelta, with and without decay."""

import paddle

for decay in (None, 0.1):
    x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
    optimizer = paddle.optimizer.Adadelta(1.0, parameters=[x], weight_decay=decay)
    for _ in range(5):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(5).tolist())
