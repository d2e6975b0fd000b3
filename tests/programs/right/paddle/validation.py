"""Training and validation with a method each."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(5)
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1))
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
others, answers = paddle.randn([8, 3]), paddle.randn([8, 1])


def train():
    net.train()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    adam.step()
    adam.clear_grad()
    return float(loss)


def validate():
    net.eval()
    with paddle.no_grad():
        return float(F.mse_loss(net(others), answers))


for epoch in range(4):
    print(epoch, train(), validate())
