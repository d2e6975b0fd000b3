"""Gradients of three batches are added up, clipped, and applied with a rate that warms up from zero."""

import paddle
from paddle import nn

paddle.seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 1))
rate = paddle.optimizer.lr.LinearWarmup(0.05, warmup_steps=3, start_lr=0.0, end_lr=0.05)
clip = nn.ClipGradByGlobalNorm(1.0)
opt = paddle.optimizer.Momentum(rate, parameters=net.parameters(), grad_clip=clip)
for step in range(5):
    for part in range(3):
        x = paddle.randn([8, 3])
        loss = nn.functional.mse_loss(net(x), x.sum(axis=1, keepdim=True)) / 3
        loss.backward()
    opt.step()
    rate.step()
    opt.clear_grad()
net.eval()
with paddle.no_grad():
    x = paddle.randn([8, 3])
    print(float(nn.functional.mse_loss(net(x), x.sum(axis=1, keepdim=True))))
