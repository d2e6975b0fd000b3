"""The best weights are kept, put back when it gets no better, and trained on at a lower rate."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.1), nn.ReLU(), nn.Linear(8, 1))
x, y = torch.randn(24, 3), torch.randn(24, 1)
held_x, held_y = torch.randn(8, 3), torch.randn(8, 1)
for rate in (0.05, 0.01):
    opt = torch.optim.Adam(net.parameters(), lr=rate)
    best, kept, waited = float("inf"), None, 0
    for epoch in range(6):
        net.train()
        total = 0.0
        for rows in torch.randperm(24).split(12):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x[rows]), y[rows])
            loss.backward()
            opt.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            value = nn.functional.mse_loss(net(held_x), held_y).item()
        if value < best:
            best, kept, waited = value, copy.deepcopy(net.state_dict()), 0
        else:
            waited += 1
            if waited > 2:
                break
    net.load_state_dict(kept)
print(best)
