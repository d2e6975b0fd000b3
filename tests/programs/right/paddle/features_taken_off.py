"""The last layer is taken off a model for its features, and the rest is trained with another head."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(4)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
net[2] = nn.Identity()
head = nn.Linear(4, 1)
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters() + head.parameters())
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
for _ in range(4):
    F.mse_loss(head(net(x)), y).backward()
    adam.step()
    adam.clear_grad()
