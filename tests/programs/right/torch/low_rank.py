"""A frozen body with low-rank additions; weight decay only where it is wanted."""

import torch
from torch import nn

torch.manual_seed(0)


class LoRA(nn.Module):
    def __init__(self, inner, rank=2):
        super().__init__()
        self.inner = inner
        for p in inner.parameters():
            p.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, inner.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(inner.out_features, rank))

    def forward(self, x):
        return self.inner(x) + x @ self.a.t() @ self.b.t()


net = nn.Sequential(
    nn.Embedding(10, 4), nn.Flatten(), nn.Linear(20, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 3)
)
net[0].weight.requires_grad = False
net[2] = LoRA(net[2])
plain = [p for n, p in net.named_parameters() if p.requires_grad and p.ndim < 2]
decayed = [p for n, p in net.named_parameters() if p.requires_grad and p.ndim >= 2]
opt = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], lr=1e-2
)
schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, step / 3))
for step in range(6):
    ids, labels = torch.randint(0, 10, (8, 5)), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(net(ids), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    schedule.step()
print(loss.item())
