"""A head is replaced for another task, and a new optimizer made after it."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(1)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
x, y, z = paddle.randn([16, 3]), paddle.randn([16, 2]), paddle.randn([16, 1])
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
for _ in range(4):
    F.mse_loss(net(x), y).backward()
    adam.step()
    adam.clear_grad()
net[2] = nn.Linear(4, 1)
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
for _ in range(4):
    F.mse_loss(net(x), z).backward()
    adam.step()
    adam.clear_grad()
