# PS202 net.bias
import torch
from torch import nn

torch.manual_seed(0)

net, x = nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for _ in range(5):
    loss = (net(x) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():  # wrong
        net.bias.add_(0.5)  # wrong
