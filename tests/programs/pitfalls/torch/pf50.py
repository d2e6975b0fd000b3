# PS101 decay.weight decay.bias
import torch
from torch import nn

torch.manual_seed(0)

net, decay, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *decay.parameters()], lr=0.1)
for _ in range(5):
    penalty = decay(x).pow(2).mean()  # here
    loss = (net(x) - 1.0).pow(2).mean()  # wrong
    loss = (net(x) - 1.0).pow(2).mean() + penalty  # right
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # here
