# PS206 judge
import torch
from torch import nn

torch.manual_seed(0)

judge, maker = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
for_judge, for_maker = torch.optim.SGD([judge], lr=0.1), torch.optim.SGD([maker], lr=0.1)
for _ in range(3):
    verdict = (judge * maker).sum()
    for_judge.zero_grad()
    verdict.pow(2).backward(retain_graph=True)
    for_maker.zero_grad()
    for_judge.step()  # wrong
    (-verdict).backward(inputs=[maker])
    for_judge.step()  # right
    for_maker.step()
