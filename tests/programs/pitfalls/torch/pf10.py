# PS107 body.weight body.bias
import torch
from torch import nn

torch.manual_seed(0)

body, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(5):
    with torch.no_grad():  # wrong
        hidden = body(x)  # wrong
    hidden = body(x)  # right
    loss = (head(hidden) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
