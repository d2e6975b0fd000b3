# PS408 net.weight net.bias
import torch
from torch import nn

torch.manual_seed(0)

net, x = nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()  # right
    for part in range(4):
        optimizer.zero_grad()  # wrong
        (net(x + part) - 1.0).pow(2).mean().div(4.0).backward()
    optimizer.step()
