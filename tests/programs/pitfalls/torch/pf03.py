# PS403 net.0.running_mean net.0.running_var
import torch
from torch import nn

torch.manual_seed(0)

net, x = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1)), torch.randn(8, 3)
net[0].requires_grad_(False)
net[0].eval()  # right
optimizer = torch.optim.SGD(net[1].parameters(), lr=0.1)
for _ in range(5):
    loss = (net(x) - 1.0).pow(2).mean()  # wrong
    loss = (net(x) - 1.0).pow(2).mean()  # right
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
