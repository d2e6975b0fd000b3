# PS402 body.weight
import torch
from torch import nn

torch.manual_seed(0)

body, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
body.weight = nn.Parameter(torch.zeros(4, 3))  # wrong
with torch.no_grad():  # right
    body.weight.copy_(torch.zeros(4, 3))  # right
for _ in range(5):
    loss = (head(body(x)) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
