# PS106 maker.weight maker.bias; PS302 maker.weight maker.bias
import torch
from torch import nn

torch.manual_seed(0)

maker, judge, noise = nn.Linear(2, 3), nn.Linear(3, 1), torch.randn(8, 2)
for_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
for_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
for _ in range(5):
    for_judge.zero_grad()
    judge(maker(noise).detach()).pow(2).mean().backward()
    for_judge.step()
    for_maker.zero_grad()
    fake = maker(noise)
    fake = fake.detach()  # wrong
    (judge(fake) - 1.0).pow(2).mean().backward()
    for_maker.step()
