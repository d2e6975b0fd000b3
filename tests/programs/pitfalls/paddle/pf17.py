# told: policy_loss also trains
import paddle
from paddle import nn

paddle.seed(0)

actor, critic, x = nn.Linear(3, 1), nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.1, parameters=actor.parameters() + critic.parameters())
for _ in range(3):
    value = critic(x)
    advantage = 1.0 - value  # wrong
    advantage = 1.0 - value.detach()  # right
    policy_loss = -(nn.functional.log_sigmoid(actor(x)) * advantage).mean()
    value_loss = ((1.0 - value) ** 2).mean()
    loss = policy_loss + value_loss
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
