"""Proximal policy optimization: advantages from numbers, several epochs, clipped gradients."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
body = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
pi, v = nn.Linear(8, 3), nn.Linear(8, 1)
params = [*body.parameters(), *pi.parameters(), *v.parameters()]
opt = torch.optim.Adam(params, lr=3e-3)
for update in range(3):
    obs, acts, logps, vals, rews = [], [], [], [], []
    o = rng.standard_normal(4).astype(np.float32)
    for t in range(16):
        with torch.no_grad():
            h = body(torch.as_tensor(o))
            dist = torch.distributions.Categorical(logits=pi(h))
            a = dist.sample()
            (
                obs.append(o),
                acts.append(a.item()),
                logps.append(dist.log_prob(a).item()),
                vals.append(v(h).item()),
            )
        rews.append(float(o[0] * a.item()))
        o = rng.standard_normal(4).astype(np.float32)
    ret = np.cumsum(np.array(rews)[::-1])[::-1].astype(np.float32).copy()
    adv = torch.as_tensor(ret - np.array(vals, np.float32))
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    obs, acts = torch.as_tensor(np.array(obs)), torch.as_tensor(acts)
    old, ret = torch.as_tensor(logps), torch.as_tensor(ret)
    for epoch in range(3):
        h = body(obs)
        dist = torch.distributions.Categorical(logits=pi(h))
        ratio = (dist.log_prob(acts) - old).exp()
        policy_loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        value_loss = (v(h).squeeze(-1) - ret).pow(2).mean()
        loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 0.5)
        opt.step()
print(loss.item())
