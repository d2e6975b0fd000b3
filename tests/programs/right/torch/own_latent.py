"""Two views, a stopped branch, and a queue of what was seen."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
predictor = nn.Linear(4, 4)
opt = torch.optim.SGD(
    [*encoder.parameters(), *predictor.parameters()], lr=0.05, momentum=0.9, weight_decay=1e-4
)
queue = F.normalize(torch.randn(16, 4), dim=1)
for step in range(6):
    x = torch.randn(8, 5)
    z1, z2 = encoder(x + 0.1 * torch.randn(8, 5)), encoder(x + 0.1 * torch.randn(8, 5))
    p1, p2 = predictor(z1), predictor(z2)
    loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) / 2
    logits = F.normalize(p1, dim=1) @ queue.t()
    loss = loss + 0.1 * torch.logsumexp(logits, 1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue = torch.cat([queue[8:], F.normalize(z2.detach(), dim=1)])
print(loss.item())
