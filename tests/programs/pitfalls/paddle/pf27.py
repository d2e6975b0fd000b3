# PS410 linear_1.w_0 linear_1.b_0
import paddle
from paddle import nn

paddle.seed(0)

online, target, x = nn.Linear(3, 1), nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.1, parameters=online.parameters())
for _ in range(3):
    goal = 1.0 + 0.9 * target(x).detach()
    loss = ((online(x) - goal) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    target.set_state_dict(target.state_dict())  # wrong
    target.set_state_dict(online.state_dict())  # right
