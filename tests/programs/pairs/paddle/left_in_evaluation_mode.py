# PS413: batch_norm1d_0.* linear_*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Dropout(0.1), nn.Linear(4, 1))
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features, wanted = paddle.randn([16, 3]), paddle.randn([16, 1])
for epoch in range(4):
    for _ in range(3):
        F.mse_loss(net(features), wanted).backward()
        sgd.step()
        sgd.clear_grad()
    net.eval()  # guilty
    with paddle.no_grad():
        print(float(F.mse_loss(net(features), wanted)))
    net.train()  # right
