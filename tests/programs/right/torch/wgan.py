"""Critics of two kinds: one is clipped, one has a penalty on its slope."""

import torch
from torch import nn

torch.manual_seed(0)


def critic():
    return nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))


for penalized in (False, True):
    G, D = nn.Linear(3, 2), critic()
    g_opt = torch.optim.RMSprop(G.parameters(), lr=1e-3)
    d_opt = torch.optim.RMSprop(D.parameters(), lr=1e-3)
    for step in range(8):
        real, z = torch.randn(8, 2) + 2, torch.randn(8, 3)
        fake = G(z).detach()
        d_opt.zero_grad()
        d_loss = D(fake).mean() - D(real).mean()
        if penalized:
            t = torch.rand(8, 1)
            between = (t * real + (1 - t) * fake).requires_grad_(True)
            (slope,) = torch.autograd.grad(D(between).sum(), between, create_graph=True)
            d_loss = d_loss + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()
        d_loss.backward()
        d_opt.step()
        if not penalized:
            for p in D.parameters():
                p.data.clamp_(-0.05, 0.05)
        if step % 2:
            g_opt.zero_grad()
            g_loss = -D(G(z)).mean()
            g_loss.backward()
            g_opt.step()
    print(d_loss.item(), g_loss.item())
