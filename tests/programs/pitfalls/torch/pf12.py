# PS404 kept
import torch
from torch import nn

torch.manual_seed(0)

kept, free = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([kept, free], lr=0.01, momentum=0.9)
for turn in range(6):
    optimizer.zero_grad(set_to_none=False)  # wrong
    optimizer.zero_grad()  # right
    (kept * free - 2.0).pow(2).sum().backward()
    optimizer.step()  # wrong
    optimizer.step()  # right
    kept.requires_grad_(turn < 1)
