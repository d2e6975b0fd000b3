"""Copies are kept to compare with, their flags set once more; gradients are measured on the way."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(2)
net = nn.Linear(3, 1)
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
before = [p.clone().detach() for p in net.parameters()]
for one in before:
    one.stop_gradient = True
for _ in range(4):
    F.mse_loss(net(x), y).backward()
    for p in net.parameters():
        norm = float(p.grad.norm())
    sgd.step()
    sgd.clear_grad()
print([float((p - b).norm()) for p, b in zip(net.parameters(), before)])
