"""Adagrad and RMSProp."""

import paddle

for make in (
    lambda p: paddle.optimizer.Adagrad(0.5, parameters=p),
    lambda p: paddle.optimizer.RMSProp(0.1, parameters=p),
    lambda p: paddle.optimizer.RMSProp(0.1, momentum=0.5, centered=True, parameters=p),
):
    x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
    optimizer = make([x])
    for _ in range(4):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(4).tolist())
