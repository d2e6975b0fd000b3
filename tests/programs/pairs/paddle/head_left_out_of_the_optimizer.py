# PS401: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
chosen = body.parameters()  # wrong, guilty
chosen = body.parameters() + head.parameters()  # right
adam = paddle.optimizer.Adam(0.01, parameters=chosen)
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    F.mse_loss(head(F.tanh(body(features))), wanted).backward()
    adam.step()
    adam.clear_grad()
