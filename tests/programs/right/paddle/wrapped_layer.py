"""A low-rank adapter goes around a layer of a model whose optimizer is there already."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(3)


class LowRank(nn.Layer):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.low, self.high = nn.Linear(3, 1, bias_attr=False), nn.Linear(1, 4, bias_attr=False)

    def forward(self, x):
        return self.base(x) + self.high(self.low(x))


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
net[0] = LowRank(net[0])
extra = paddle.optimizer.Adam(0.01, parameters=net[0].low.parameters() + net[0].high.parameters())
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
for _ in range(4):
    F.mse_loss(net(x), y).backward()
    for one in (adam, extra):
        one.step()
        one.clear_grad()
