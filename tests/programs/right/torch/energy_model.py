"""Langevin samples from a network that is frozen while they are drawn; a style image beside it."""

import torch
from torch import nn

torch.manual_seed(0)
energy = nn.Sequential(nn.Linear(2, 8), nn.SiLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(energy.parameters(), lr=1e-2)
buffer = torch.randn(16, 2)
for step in range(5):
    for p in energy.parameters():
        p.requires_grad = False
    x = buffer.clone().requires_grad_(True)
    for _ in range(3):
        energy(x).sum().backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
            x += 0.05 * torch.randn_like(x)
        x.grad = None
    for p in energy.parameters():
        p.requires_grad = True
    x = x.detach()
    up, down = energy(torch.randn(16, 2) * 0.2 + 1), energy(x)
    loss = up.mean() - down.mean() + 0.1 * (up**2 + down**2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    buffer = x
image = torch.rand(1, 2, requires_grad=True)
style = torch.optim.LBFGS([image], max_iter=5)


def closure():
    style.zero_grad()
    loss = energy(image).sum() + (image**2).sum()
    loss.backward()
    return loss


style.step(closure)
print(loss.item(), image.detach())
