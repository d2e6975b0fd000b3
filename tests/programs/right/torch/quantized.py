"""A vector-quantized autoencoder whose codebook follows by a moving average."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Quantizer(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.register_buffer("codes", torch.randn(n, d))
        self.register_buffer("count", torch.ones(n))
        self.register_buffer("total", self.codes.clone())

    def forward(self, z):
        near = torch.cdist(z, self.codes).argmin(1)
        q = F.embedding(near, self.codes)
        if self.training:
            with torch.no_grad():
                hot = F.one_hot(near, len(self.codes)).float()
                self.count.mul_(0.9).add_(hot.sum(0), alpha=0.1)
                self.total.mul_(0.9).add_(hot.t() @ z, alpha=0.1)
                self.codes.copy_(self.total / self.count.clamp(min=1e-5)[:, None])
        return z + (q - z).detach(), F.mse_loss(z, q.detach())


enc, quant, dec = nn.Linear(4, 2), Quantizer(6, 2), nn.Linear(2, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for step in range(6):
    x = torch.randn(16, 4)
    q, commitment = quant(enc(x))
    loss = F.mse_loss(dec(q), x) + 0.25 * commitment
    opt.zero_grad()
    loss.backward()
    opt.step()
quant.eval()
print(F.mse_loss(dec(quant(enc(x))[0]), x).item())
