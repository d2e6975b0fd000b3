# PS405: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
maker, judge = nn.Linear(2, 4), nn.Linear(4, 1)
making = paddle.optimizer.SGD(0.05, parameters=maker.parameters())
judging = paddle.optimizer.SGD(0.05, parameters=judge.parameters())
for _ in range(3):
    fake, real = maker(paddle.randn([8, 2])), paddle.randn([8, 4])
    ((judge(fake) - 1.0) ** 2).mean().backward()
    making.step()
    making.clear_grad()
    judging.clear_grad()  # right
    doubt = ((judge(real) - 1.0) ** 2).mean() + (judge(fake.detach()) ** 2).mean()
    doubt.backward()
    judging.step()  # guilty
    judging.clear_grad()
