# PS101 extra.weight extra.bias
import torch
from torch import nn

torch.manual_seed(0)

body, extra, head, x = nn.Linear(3, 4), nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
net = nn.ModuleList([body, extra, head])
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    hidden = body(x)  # wrong
    hidden = body(x) + extra(x)  # right
    loss = (head(hidden) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # here
