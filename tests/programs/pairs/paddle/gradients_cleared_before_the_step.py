# PS408: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
for turn in range(8):
    sgd.clear_grad(set_to_zero=False)  # wrong, guilty
    (F.mse_loss(net(paddle.randn([4, 3])), paddle.randn([4, 1])) / 2).backward()
    if turn % 2 == 1:
        sgd.step()
        sgd.clear_grad(set_to_zero=False)
