# PS426: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
used, idle = nn.Linear(3, 1), nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.1, parameters=used.parameters() + idle.parameters(), weight_decay=0.1)
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
F.mse_loss(used(features) + idle(features), wanted).backward()
sgd.step()
sgd.clear_grad()  # wrong
sgd.clear_grad(set_to_zero=False)  # right
for _ in range(3):
    F.mse_loss(used(features), wanted).backward()
    sgd.step()  # guilty
    sgd.clear_grad()  # wrong
    sgd.clear_grad(set_to_zero=False)  # right
