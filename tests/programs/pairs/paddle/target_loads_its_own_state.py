# PS410: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
online, target = nn.Linear(3, 1), nn.Linear(3, 1)
target.set_state_dict(online.state_dict())
sgd = paddle.optimizer.SGD(0.1, parameters=online.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for step in range(8):
    F.mse_loss(online(features), wanted + 0.9 * target(features).detach()).backward()
    sgd.step()
    sgd.clear_grad()
    if step % 3 == 2:
        target.set_state_dict(target.state_dict())  # wrong, guilty
        target.set_state_dict(online.state_dict())  # right
