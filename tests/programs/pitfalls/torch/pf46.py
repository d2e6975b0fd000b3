# PS106 b; PS302 b
import torch
from torch import nn

torch.manual_seed(0)

b = torch.tensor([4.0, 5.0], requires_grad=True)
optimizer = torch.optim.SGD([b], lr=0.1)
for _ in range(5):
    column = b.detach().reshape(2, 1).requires_grad_()  # wrong
    column = b.reshape(2, 1)  # right
    loss = column.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
