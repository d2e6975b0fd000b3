# PS410: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.0, parameters=net.parameters())  # wrong, guilty
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())  # right
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(4):
    F.mse_loss(net(features), wanted).backward()
    sgd.step()
    sgd.clear_grad()
