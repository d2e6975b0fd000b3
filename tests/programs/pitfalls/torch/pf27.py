# PS410 target.weight target.bias
import torch
from torch import nn

torch.manual_seed(0)

online, target, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for _ in range(5):
    loss = (online(x) - 0.9 * target(x).detach() - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target.load_state_dict(target.state_dict())  # wrong
    target.load_state_dict(online.state_dict())  # right
