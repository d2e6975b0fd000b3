"""Adamax, with an epsilon that is seen."""

import paddle

for epsilon in (1e-8, 0.5):
    x = paddle.to_tensor([4.0, 0.01], stop_gradient=False)
    optimizer = paddle.optimizer.Adamax(0.1, epsilon=epsilon, parameters=[x])
    for _ in range(5):
        (x * x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(5).tolist())
