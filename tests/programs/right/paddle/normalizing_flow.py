"""A flow of coupling layers by maximum likelihood, then samples from it."""

import math

import paddle
from paddle import nn

paddle.seed(0)


class Coupling(nn.Layer):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, x):
        a, b = paddle.split(x, 2, axis=1)
        if self.flip:
            a, b = b, a
        s, t = paddle.split(self.net(a), 2, axis=1)
        s = paddle.tanh(s)
        b = b * paddle.exp(s) + t
        return paddle.concat([b, a] if self.flip else [a, b], axis=1), s.sum(axis=1)


flow = nn.LayerList([Coupling(i % 2 == 1) for i in range(3)])
opt = paddle.optimizer.Adam(0.01, parameters=flow.parameters())
for step in range(5):
    x = paddle.randn([32, 2])
    x = paddle.concat([x[:, :1], x[:, 1:] + x[:, :1] ** 2], axis=1)
    z, total = x, 0.0
    for layer in flow:
        z, change = layer(z)
        total = total + change
    likelihood = -0.5 * (z**2).sum(axis=1) - math.log(2 * math.pi) + total
    loss = -likelihood.mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
print(float(loss))
