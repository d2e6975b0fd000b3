# PS106 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

maker, judge, noise = nn.Linear(2, 3), nn.Linear(3, 1), paddle.randn([8, 2])
for_maker = paddle.optimizer.SGD(0.1, parameters=maker.parameters())
for_judge = paddle.optimizer.SGD(0.1, parameters=judge.parameters())
for _ in range(3):
    loss = (judge(maker(noise).detach()) ** 2).mean()
    loss.backward()
    for_judge.step()
    for_judge.clear_grad()
    fake = maker(noise)
    fake = fake.detach()  # wrong
    loss = ((judge(fake) - 1.0) ** 2).mean()
    loss.backward()
    for_maker.step()
    for_maker.clear_grad()
    for_judge.clear_grad()
