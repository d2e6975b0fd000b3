"""Truncated backpropagation: the state is carried on and detached between pieces."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, out = nn.LSTM(1, 8), nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=1e-2)
wave = torch.sin(torch.arange(61) * 0.3).view(-1, 1, 1)
state = None
for start in range(0, 60, 10):
    x, y = wave[start : start + 10], wave[start + 1 : start + 11]
    if state is not None:
        state = tuple(part.detach() for part in state)
    h, state = rnn(x, state)
    loss = nn.functional.mse_loss(out(h), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(rnn.parameters(), 1.0)
    opt.step()
print(loss.item())
