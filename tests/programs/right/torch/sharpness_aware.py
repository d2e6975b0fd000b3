"""Sharpness-aware minimization, with the weights put back from a copy."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
base = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
x = torch.randn(16, 3)
y = x.sum(1, keepdim=True)


def loss_fn():
    return ((net(x) - y) ** 2).mean()


for step in range(6):
    loss = loss_fn()
    loss.backward()
    with torch.no_grad():
        norm = torch.norm(torch.stack([p.grad.norm() for p in net.parameters()]))
        old = []
        for p in net.parameters():
            old.append(p.data.clone())
            p.add_(0.05 * p.grad / (norm + 1e-12))
    base.zero_grad()
    loss_fn().backward()
    with torch.no_grad():
        for p, value in zip(net.parameters(), old):
            p.copy_(value)
    base.step()
    base.zero_grad()
print(loss.item())
