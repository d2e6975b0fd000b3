# PS404 kept
import torch
from torch import nn

torch.manual_seed(0)

kept, free = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
optimizer = torch.optim.AdamW([kept, free], lr=0.1, weight_decay=0.5)  # wrong
optimizer = torch.optim.AdamW([free], lr=0.1, weight_decay=0.5)  # right
kept.requires_grad_(False)
for _ in range(5):
    optimizer.zero_grad()
    (kept * free - 2.0).pow(2).sum().backward()
    kept.grad = torch.zeros(2)  # wrong
    optimizer.step()  # wrong
    optimizer.step()  # right
