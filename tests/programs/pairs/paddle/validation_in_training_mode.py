# PS413: batch_norm1d_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features, wanted = paddle.randn([16, 3]), paddle.randn([16, 1])
others, answers = paddle.randn([8, 3]) + 5.0, paddle.randn([8, 1])
for _ in range(3):
    net.train()
    F.mse_loss(net(features), wanted).backward()
    sgd.step()
    sgd.clear_grad()
    net.eval()  # right
    with paddle.no_grad():
        guess = net(others)  # guilty
        print(float(F.mse_loss(guess, answers)))
