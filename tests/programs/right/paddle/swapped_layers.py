"""Two layers change places after the optimizer was made: both are still trained."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(2)
net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1))
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
first, second = net[0], net[1]
net[0] = second
net[1] = first
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
for _ in range(4):
    F.mse_loss(net(x), y).backward()
    adam.step()
    adam.clear_grad()
