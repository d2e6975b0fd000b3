"""RMSProp: plain, with momentum, centered, with decay."""

import paddle

for options in ({}, {"momentum": 0.9}, {"centered": True, "momentum": 0.5}, {"weight_decay": 0.1}):
    x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
    optimizer = paddle.optimizer.RMSProp(0.05, epsilon=1e-3, parameters=[x], **options)
    for _ in range(5):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(4).tolist())
