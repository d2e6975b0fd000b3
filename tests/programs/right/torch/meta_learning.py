"""Learning to learn with functional calls, and the first-order way with a copy of the model."""

import copy

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    x = torch.randn(10, 1)
    y = torch.sin(x + step)
    weights = dict(net.named_parameters())
    inner = ((functional_call(net, weights, (x[:5],)) - y[:5]) ** 2).mean()
    grads = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
    fast = {name: p - 0.1 * g for (name, p), g in zip(weights.items(), grads)}
    outer = ((functional_call(net, fast, (x[5:],)) - y[5:]) ** 2).mean()
    meta.zero_grad()
    outer.backward()
    meta.step()
for step in range(3):
    learner = copy.deepcopy(net)
    fit = torch.optim.SGD(learner.parameters(), lr=0.1)
    x = torch.randn(10, 1)
    for _ in range(2):
        loss = ((learner(x) - torch.cos(x)) ** 2).mean()
        fit.zero_grad()
        loss.backward()
        fit.step()
    meta.zero_grad()
    for p, q in zip(net.parameters(), learner.parameters()):
        p.grad = p.data - q.data
    meta.step()
print(outer.item())
