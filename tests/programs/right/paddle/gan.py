"""Adversaries in Paddle: the judge sees detached forgeries, the forger learns through the judge."""

import paddle
from paddle import nn
from paddle.nn import functional as F

paddle.seed(0)
forger = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
judge = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(), nn.Linear(8, 1))
forger_opt = paddle.optimizer.Adam(0.01, parameters=forger.parameters())
judge_opt = paddle.optimizer.Adam(0.01, parameters=judge.parameters())
for step in range(5):
    real = paddle.randn([16, 1]) * 0.5 + 3.0
    fake = forger(paddle.randn([16, 2]))
    yes, no = judge(real), judge(fake.detach())
    loss = F.binary_cross_entropy_with_logits(yes, paddle.ones_like(yes))
    loss = loss + F.binary_cross_entropy_with_logits(no, paddle.zeros_like(no))
    judge_opt.clear_grad()
    loss.backward()
    judge_opt.step()
    no = judge(fake)
    fooling = F.binary_cross_entropy_with_logits(no, paddle.ones_like(no))
    forger_opt.clear_grad()
    fooling.backward()
    forger_opt.step()
print(float(fooling))
