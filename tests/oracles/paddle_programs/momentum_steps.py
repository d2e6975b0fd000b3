"""Momentum with and without look-ahead."""

import paddle

for nesterov in (False, True):
    x = paddle.to_tensor([4.0], stop_gradient=False)
    optimizer = paddle.optimizer.Momentum(0.1, momentum=0.9, parameters=[x], use_nesterov=nesterov)
    for _ in range(5):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(round(x.item(), 5))
