"""A GAN and a variational autoencoder: noise that is drawn in each step."""

import paddle
from paddle import nn
from paddle.nn import functional as F

paddle.seed(3)
generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(16, 1))
first = paddle.optimizer.Adam(0.002, parameters=generator.parameters())
second = paddle.optimizer.Adam(0.002, parameters=critic.parameters())
for step in range(5):
    real = paddle.normal(2.0, 0.5, [32, 2])
    made = generator(paddle.randn([32, 4]))
    wrong = F.binary_cross_entropy_with_logits(critic(made.detach()), paddle.zeros([32, 1]))
    right = F.binary_cross_entropy_with_logits(critic(real), paddle.uniform([32, 1], min=0.8, max=1.0))
    (wrong + right).backward()
    second.step()
    second.clear_grad()
    fooled = F.binary_cross_entropy_with_logits(critic(made), paddle.ones([32, 1]))
    fooled.backward()
    first.step()
    first.clear_grad()
    second.clear_grad()
    print(step, f"{wrong.item():.4f} {right.item():.4f} {fooled.item():.4f}")

encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = paddle.optimizer.SGD(0.01, parameters=[*encoder.parameters(), *decoder.parameters()])
data = paddle.rand([16, 6])
for step in range(4):
    mean, logarithm = encoder(data).chunk(2, axis=1)
    hidden = mean + paddle.exp(0.5 * logarithm) * paddle.randn(mean.shape)
    apart = -0.5 * (1 + logarithm - mean * mean - logarithm.exp()).sum()
    loss = F.mse_loss(decoder(hidden), data, reduction="sum") + apart
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(step, f"{loss.item():.3f}")
