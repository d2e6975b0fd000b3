# PS107: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=body.parameters() + head.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    with paddle.no_grad():  # wrong
        hidden = F.tanh(body(features))  # wrong, guilty
    hidden = F.tanh(body(features))  # right
    loss = F.mse_loss(head(hidden), wanted)
    loss.backward()
    sgd.step()
    sgd.clear_grad()
