# told: policy_loss also trains
import torch
from torch import nn

torch.manual_seed(0)

actor, critic, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
for _ in range(5):
    value = critic(x)
    advantage = 1.0 - value  # wrong
    advantage = 1.0 - value.detach()  # right
    policy_loss = -(nn.functional.logsigmoid(actor(x)) * advantage).mean()
    value_loss = (1.0 - value).pow(2).mean()
    loss = policy_loss + value_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
