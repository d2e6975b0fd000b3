"""The gradient of the input is looked at between steps, and what the parameters got is cleared."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(5)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
for _ in range(3):
    net.train()
    F.mse_loss(net(x), y).backward()
    sgd.step()
    sgd.clear_grad()
    net.eval()
    probe = paddle.randn([4, 3])
    probe.stop_gradient = False
    net(probe).sum().backward()
    print(float(probe.grad.abs().mean()))
    sgd.clear_grad()
