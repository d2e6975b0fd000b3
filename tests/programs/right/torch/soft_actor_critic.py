"""Twin critics, soft targets, a policy whose gradient passes through frozen critics, a temperature."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.q1 = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.q2 = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, s, a):
        x = torch.cat([s, a], 1)
        return self.q1(x), self.q2(x)


actor, critic = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)), Twin()
target = copy.deepcopy(critic)
for p in target.parameters():
    p.requires_grad = False
log_alpha = torch.zeros(1, requires_grad=True)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
alpha_opt = torch.optim.Adam([log_alpha], lr=1e-3)


def act(s):
    mean, log_std = actor(s).chunk(2, dim=-1)
    normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
    u = normal.rsample()
    a = torch.tanh(u)
    return a, (normal.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(1, keepdim=True)


for step in range(6):
    s, s2, a = torch.randn(8, 3), torch.randn(8, 3), torch.rand(8, 1) * 2 - 1
    r = s.sum(1, keepdim=True) * a
    with torch.no_grad():
        a2, logp2 = act(s2)
        y = r + 0.9 * (torch.min(*target(s2, a2)) - log_alpha.exp() * logp2)
    q1, q2 = critic(s, a)
    critic_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    for p in critic.parameters():
        p.requires_grad = False
    new, logp = act(s)
    actor_loss = (log_alpha.exp().detach() * logp - torch.min(*critic(s, new))).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    for p in critic.parameters():
        p.requires_grad = True
    alpha_loss = -(log_alpha * (logp + 1.0).detach()).mean()
    alpha_opt.zero_grad()
    alpha_loss.backward()
    alpha_opt.step()
    with torch.no_grad():
        for p, t in zip(critic.parameters(), target.parameters()):
            t.data.mul_(0.95)
            t.data.add_(0.05 * p.data)
print(actor_loss.item())
