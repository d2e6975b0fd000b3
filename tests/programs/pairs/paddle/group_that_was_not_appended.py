# PS401: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
groups = [{"params": body.parameters(), "learning_rate": 0.1}]
extra = {"params": head.parameters(), "learning_rate": 1.0}  # guilty
groups.append(extra)  # right
sgd = paddle.optimizer.SGD(0.1, parameters=groups)
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    F.mse_loss(head(F.tanh(body(features))), wanted).backward()
    sgd.step()
    sgd.clear_grad()
