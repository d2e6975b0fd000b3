"""Actor and critic with targets that follow softly; each optimizer is cleared before its own pass."""

import copy

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(8)
actor, critic = nn.Linear(3, 1), nn.Linear(4, 1)
target_actor, target_critic = copy.deepcopy(actor), copy.deepcopy(critic)
for p in target_actor.parameters() + target_critic.parameters():
    p.stop_gradient = True
a_opt = paddle.optimizer.Adam(0.01, parameters=actor.parameters())
c_opt = paddle.optimizer.Adam(0.01, parameters=critic.parameters())
def soft(target, source):
    for t, s in zip(target.parameters(), source.parameters()):
        t.set_value(0.95 * t + 0.05 * s)
for _ in range(5):
    s, a, r, s2 = paddle.randn([8, 3]), paddle.randn([8, 1]), paddle.randn([8, 1]), paddle.randn([8, 3])
    with paddle.no_grad():
        y = r + 0.9 * target_critic(paddle.concat([s2, target_actor(s2)], axis=1))
    c_loss = F.mse_loss(critic(paddle.concat([s, a], axis=1)), y)
    c_opt.clear_grad()
    c_loss.backward()
    c_opt.step()
    a_loss = -critic(paddle.concat([s, actor(s)], axis=1)).mean()
    a_opt.clear_grad()
    a_loss.backward()
    a_opt.step()
    with paddle.no_grad():
        soft(target_actor, actor)
        soft(target_critic, critic)
