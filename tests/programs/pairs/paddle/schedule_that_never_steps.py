# PS410: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(6)
net = nn.Linear(3, 1)
rate = paddle.optimizer.lr.LinearWarmup(0.1, 10, 0.0, 0.1)  # guilty
sgd = paddle.optimizer.SGD(rate, parameters=net.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(4):
    F.mse_loss(net(features), wanted).backward()
    sgd.step()
    sgd.clear_grad()
    rate.step()  # right
