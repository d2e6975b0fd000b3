import paddle
from paddle import nn

maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
for_maker = paddle.optimizer.Adam(0.01, parameters=maker.parameters())
for_judge = paddle.optimizer.Adam(0.01, parameters=judge.parameters())
for _ in range(4):
    noise, real = paddle.randn([8, 2]), paddle.randn([8, 3])
    for_judge.clear_grad()
    loss = ((judge(real) - 1.0) ** 2).mean() + (judge(maker(noise).detach()) ** 2).mean()
    loss.backward()
    for_judge.step()
    for_maker.clear_grad()
    loss = ((judge(maker(noise)) - 1.0) ** 2).mean()
    loss.backward()
    for_maker.step()
