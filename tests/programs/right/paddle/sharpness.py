"""Sharpness-aware minimisation: climb, take the gradient there, come back, descend."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(6)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
for _ in range(4):
    F.mse_loss(net(x), y).backward()
    kept = [p.clone().detach() for p in net.parameters()]
    with paddle.no_grad():
        for p in net.parameters():
            p.set_value(p + 0.05 * p.grad / (p.grad.norm() + 1e-12))
    sgd.clear_grad()
    F.mse_loss(net(x), y).backward()
    with paddle.no_grad():
        for p, k in zip(net.parameters(), kept):
            p.set_value(k)
    sgd.step()
    sgd.clear_grad()
