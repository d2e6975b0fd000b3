"""A search without gradients: the mean of a population moves towards its better half."""

import paddle
from paddle import nn

paddle.seed(0)
net = nn.Linear(3, 1)
for p in net.parameters():
    p.stop_gradient = True
x = paddle.randn([16, 3])
y = x.sum(axis=1, keepdim=True)
mean = [p.clone() for p in net.parameters()]
for turn in range(4):
    found = []
    for member in range(6):
        noise = [0.1 * paddle.randn(p.shape) for p in mean]
        for p, m, n in zip(net.parameters(), mean, noise):
            p.set_value(m + n)
        found.append((float(((net(x) - y) ** 2).mean()), noise))
    found.sort(key=lambda one: one[0])
    for k in range(len(mean)):
        mean[k] = mean[k] + sum(noise[k] for _, noise in found[:3]) / 3
for p, m in zip(net.parameters(), mean):
    p.set_value(m)
print(found[0][0])
