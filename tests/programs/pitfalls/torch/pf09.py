# PS405 net.weight net.bias
import torch
from torch import nn

torch.manual_seed(0)

net, x = nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(5):
    optimizer.zero_grad()  # right
    loss = (net(x) - 1.0).pow(2).mean()
    loss.backward()  # wrong
    loss.backward()  # right
    optimizer.step()
