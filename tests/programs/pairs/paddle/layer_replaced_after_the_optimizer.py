# PS402: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())  # wrong
net[1] = nn.Linear(4, 1)  # guilty
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())  # right
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    F.mse_loss(net(features), wanted).backward()
    adam.step()
    adam.clear_grad()
