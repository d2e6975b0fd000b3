"""A variational autoencoder whose divergence is weighed more from step to step."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(7)
class VAE(nn.Layer):
    def __init__(self):
        super().__init__()
        self.enc, self.mu, self.logvar, self.dec = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 4)
    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + paddle.exp(0.5 * logvar) * paddle.randn(mu.shape)
        return self.dec(z), mu, logvar
net = VAE()
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
beta = 0.0
for step in range(5):
    x = paddle.randn([16, 4])
    out, mu, logvar = net(x)
    kl = -0.5 * (1 + logvar - mu ** 2 - paddle.exp(logvar)).sum(axis=1).mean()
    loss = F.mse_loss(out, x) + (0.1 + beta) * kl
    loss.backward()
    adam.step()
    adam.clear_grad()
    beta = min(1.0, beta + 0.25)
