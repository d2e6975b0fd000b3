# PS411: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(1)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
for one in [each.detach() for each in body.parameters()]:  # wrong
for one in body.parameters():  # right
    one.stop_gradient = True  # guilty
sgd = paddle.optimizer.SGD(0.1, parameters=body.parameters() + head.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(4):
    F.mse_loss(head(F.tanh(body(features))), wanted).backward()
    sgd.step()
    sgd.clear_grad()
