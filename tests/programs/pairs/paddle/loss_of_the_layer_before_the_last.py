# PS101: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
inner, last = nn.Linear(3, 4), nn.Linear(4, 4)
sgd = paddle.optimizer.SGD(0.05, parameters=inner.parameters() + last.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 4])
for _ in range(3):
    hidden = F.tanh(inner(features))
    answer = last(hidden)  # guilty
    loss = F.mse_loss(hidden, wanted)  # wrong
    loss = F.mse_loss(answer, wanted)  # right
    loss.backward()
    sgd.step()
    sgd.clear_grad()
