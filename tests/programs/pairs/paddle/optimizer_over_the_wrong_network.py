# PS401: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
acting = paddle.optimizer.Adam(0.01, parameters=actor.parameters())
judging = paddle.optimizer.Adam(0.01, parameters=actor.parameters())  # wrong, guilty
judging = paddle.optimizer.Adam(0.01, parameters=critic.parameters())  # right
states, returns = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(4):
    value = critic(states)
    F.mse_loss(value, returns).backward()
    judging.step()
    judging.clear_grad()
    chosen = F.log_softmax(actor(states))[:, 0:1]
    (-(chosen * (returns - value.detach())).mean()).backward()
    acting.step()
    acting.clear_grad()
