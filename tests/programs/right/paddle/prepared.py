"""Weights set before training, a prefix of them loaded from another network, the best ones put back."""

import paddle
from paddle import nn

paddle.seed(0)
old = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 2))
net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
net[0].set_state_dict(old[0].state_dict())
net[2].weight.set_value(paddle.full([6, 1], 0.1))
net[2].bias.set_value(paddle.zeros([1]))
opt = paddle.optimizer.Adam(0.05, parameters=net.parameters())
x = paddle.randn([16, 3])
y = (x * x).sum(axis=1, keepdim=True)
best, kept = float("inf"), None
for epoch in range(6):
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    opt.clear_grad()
    net.eval()
    with paddle.no_grad():
        value = float(nn.functional.mse_loss(net(x), y))
    net.train()
    if value < best:
        best, kept = value, {name: p.clone() for name, p in net.state_dict().items()}
net.set_state_dict(kept)
print(best)
