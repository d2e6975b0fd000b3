"""A moving average that is swapped in to evaluate, and stochastic weight averaging at the end."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
swa = torch.optim.swa_utils.AveragedModel(net)
ema = copy.deepcopy(net).eval()
for p in ema.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
data = torch.randn(32, 3)
goal = data.prod(1, keepdim=True)
for epoch in range(4):
    net.train()
    for rows in torch.randperm(32).split(8):
        loss = nn.functional.mse_loss(net(data[rows]), goal[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for slow, fast in zip(ema.parameters(), net.parameters()):
                slow.mul_(0.9).add_(fast, alpha=0.1)
            for slow, fast in zip(ema.buffers(), net.buffers()):
                slow.copy_(fast)
    if epoch >= 2:
        swa.update_parameters(net)
    with torch.no_grad():
        print(nn.functional.mse_loss(ema(data), goal).item())
torch.optim.swa_utils.update_bn(data.split(8), swa)
print(nn.functional.mse_loss(swa(data), goal).item())
