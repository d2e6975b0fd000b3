"""Two networks, two optimizers, a stopped advantage."""

import numpy as np
import paddle
import paddle.nn.functional as F


def layer(rows, columns, start):
    values = np.sin(np.arange(start, start + rows * columns)).reshape(rows, columns) * 0.5
    return paddle.nn.Linear(rows, columns, weight_attr=paddle.nn.initializer.Assign(values))


actor, critic = layer(3, 2, 0), layer(3, 1, 7)
states = paddle.to_tensor(np.cos(np.arange(12.0)).reshape(4, 3).astype("float32"))
rewards = paddle.to_tensor([[1.0], [0.0], [2.0], [-1.0]])
actions = paddle.to_tensor([0, 1, 1, 0])
actor_optimizer = paddle.optimizer.Adam(0.01, parameters=actor.parameters())
critic_optimizer = paddle.optimizer.Adam(0.01, parameters=critic.parameters())
for _ in range(6):
    advantage = (rewards - critic(states)).detach()[:, 0]
    policy_loss = (advantage * F.cross_entropy(actor(states), actions, reduction="none")).mean()
    policy_loss.backward()
    actor_optimizer.step()
    actor_optimizer.clear_grad()
    critic_loss = ((rewards - critic(states)) ** 2).mean()
    critic_loss.backward()
    critic_optimizer.step()
    critic_optimizer.clear_grad()
    print(round(policy_loss.item(), 4), round(critic_loss.item(), 4))
