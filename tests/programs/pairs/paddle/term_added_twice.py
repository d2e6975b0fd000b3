# PS303: linear_0.w_0
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    fit = F.mse_loss(net(features), wanted)
    size = (net.weight**2).mean()
    loss = fit + size
    loss = loss + size  # wrong, guilty
    loss.backward()
    sgd.step()
    sgd.clear_grad()
