"""A pretrained body that is let go layer by layer; groups are added to one optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
head = nn.Linear(4, 1)
for p in blocks.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(head.parameters(), lr=0.05, momentum=0.9)
x = torch.randn(16, 4)
y = x.sum(1, keepdim=True)
for phase in range(4):
    if phase:
        block = blocks[-phase]
        for p in block.parameters():
            p.requires_grad = True
        opt.add_param_group({"params": block.parameters(), "lr": 0.05 / phase})
    for step in range(3):
        h = x
        for block in blocks:
            h = torch.relu(block(h)) + h
        loss = nn.functional.mse_loss(head(h), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(phase, loss.item())
