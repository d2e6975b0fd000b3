# PS426 idle.weight idle.bias
import torch
from torch import nn

torch.manual_seed(0)

used, idle, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.Adam([*used.parameters(), *idle.parameters()], lr=0.1)
for turn in range(6):
    optimizer.zero_grad(set_to_none=False)  # wrong
    optimizer.zero_grad()  # right
    found = used(x) + idle(x) if turn < 2 else used(x)
    (found - 1.0).pow(2).mean().backward()
    optimizer.step()  # here
